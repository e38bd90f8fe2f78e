"""Chats through an address: one at a time, or one after another while something is done to what answers them."""
import http.client
import json
import threading
import time

from ports import HOST

SECONDS = 60   # of silence; no answer of a test takes so long


def chat(port, tokens=8, stream=False, model="tiny"):
    """Empty when it was answered to its end; otherwise what came instead."""
    connection = http.client.HTTPConnection(HOST, port, timeout=SECONDS)
    body = {"model": model, "max_tokens": tokens, "stream": stream, "messages": [{"role": "user", "content": "hello"}]}
    try:
        connection.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            return f"{answer.status} {text[:200]}"
        return "" if not stream or b"data: [DONE]" in text else "cut"
    except (OSError, http.client.HTTPException) as error:
        return repr(error)
    finally:
        connection.close()


class Traffic:
    """Chats one after another in a few threads, every other one a stream, until it is left; what went wrong is kept."""

    def __init__(self, port, threads=3, tokens=8):
        self.port, self.tokens, self.done, self.wrong, self.over = port, tokens, 0, [], threading.Event()
        self.threads = [threading.Thread(target=self.go, args=(index,)) for index in range(threads)]

    def go(self, index):
        while not self.over.is_set():
            wrong = chat(self.port, self.tokens, stream=index % 2 == 0)
            if wrong:
                self.wrong.append(wrong)
            self.done += 1
            time.sleep(0.01)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join(SECONDS + 30)
