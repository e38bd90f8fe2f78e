"""One bounded run of another program, and several of them timed in turns."""
import os
import statistics
import subprocess
import time

LIMIT = 120      # seconds; the slowest peer needs a tenth of it
ROUNDS = 5


class Said:
    """What came out of one run."""

    def __init__(self, code, text, trouble, seconds):
        self.code, self.text, self.trouble, self.seconds = code, text, trouble, seconds


def run(words, more_environment=None, limit=LIMIT):
    environment = {**os.environ, **(more_environment or {})}
    begin = time.perf_counter()
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit, env=environment, check=False)
    except subprocess.TimeoutExpired:
        return Said(None, "", f"no answer in {limit} s", float(limit))
    except OSError as trouble:
        return Said(None, "", str(trouble), 0.0)
    seconds = time.perf_counter() - begin
    return Said(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"), seconds)


def last_line(said):
    """The line that says why, in one row of a table."""
    lines = [line.strip() for line in (said.trouble + "\n" + said.text).splitlines() if line.strip()]
    return (lines[-1] if lines else f"exit status {said.code}")[:160]


def times_in_turns(questions, rounds=ROUNDS):
    """name -> seconds of every run; the machine's moods fall on all alike because they take turns."""
    seconds = {name: [] for name in questions}
    for _ in range(rounds):
        for name, asked in questions.items():
            for words, environment in asked:
                seconds[name].append(run(words, environment).seconds)
    return seconds


def quarters(seconds):
    low, middle, high = statistics.quantiles(seconds, n=4)
    return low, middle, high
