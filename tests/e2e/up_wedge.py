#!/usr/bin/env python3
"""Replicas of `sextant daemon` that are there and do nothing: each is replaced once the daemon's patience of a minute is over. All of
them wait at the same time."""
import concurrent.futures
import http.client
import threading
import unittest

from deployments import Deployment, fake_launch, free_ports
from up_fake import read_stream

SECONDS = 150   # the minute, the start after it, and a busy machine


def unanswered(port):
    """A request whose answer is not waited for to be good."""
    try:
        read_stream(port, 4, [])
    except (OSError, http.client.HTTPException):
        pass


def replaced(plan, engine, states=(), reasons=(), request=False):
    """What there is to complain of; one of the states must have been met, or one of the reasons told."""
    with Deployment([fake_launch(engine, free_ports(1)[0], plan=plan)]) as deployment:
        deployment.begin()
        told = lambda: f"{engine} {plan}: {deployment.status()} {deployment.events()} {deployment.said()}"
        if not deployment.wait_state("serving"):
            return told()
        asking = threading.Thread(target=unanswered, args=(deployment.ports[1],))
        if request:
            asking.start()
        if not deployment.wait_replica(0, "ready", seconds=SECONDS, start=2):
            return told()
        if not any(state in states or reason in reasons for _, state, reason in deployment.events(0)):
            return told()
        if request:
            asking.join(30)
        return None if deployment.down() == 0 else "does not go down: " + told()


class Wedged(unittest.TestCase):
    def test_each_is_replaced(self):
        # The first request is the warm-up's. A step counter that stands still while requests run tells the first two, though
        # their health is good.
        jobs = (dict(plan="wedge@request=2 times=1", engine="vllm", states=("wedged", "suspect"), request=True),
                dict(plan="wedge@request=2 times=1", engine="sglang", states=("wedged", "suspect"), request=True),
                dict(plan="sick@answered+1s times=1", engine="vllm", reasons=("wedged",)),
                dict(plan="deaf@answered+1s times=1", engine="vllm", reasons=("wedged",)))
        with concurrent.futures.ThreadPoolExecutor(len(jobs)) as pool:
            wrong = [words for words in pool.map(lambda job: replaced(**job), jobs) if words]
        self.assertFalse(wrong, "\n".join(wrong))


if __name__ == "__main__":
    unittest.main()
