"""Runs the program as people do: from a pipe, from a script, in a terminal of a given size."""
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios

PROGRAM = os.environ.get("SEXTANT", "build/sextant")
SECONDS = 60  # sanitized programs on a busy machine are slow; a hang still ends


def environment(**more):
    """A small environment, so that the caller's own does not decide the outcome."""
    base = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "TERM": "xterm"}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
        if name in os.environ:
            base[name] = os.environ[name]
    return {**base, **more}


def run(*words, stdin=b"", cwd=None, **variables):
    """(exit code, stdout, stderr) as text."""
    done = subprocess.run([os.path.abspath(PROGRAM), *words], input=stdin, capture_output=True, timeout=SECONDS, cwd=cwd,
                          env=environment(**variables))
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def in_terminal(*words, columns=80, **variables):
    """(exit code, what the terminal got) of a pseudo-terminal with so many columns."""
    child, master = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.execve(os.path.abspath(PROGRAM), [PROGRAM, *words], environment(**variables))
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    out = b""
    while select.select([master], [], [], SECONDS)[0]:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        out += piece
    _, status = os.waitpid(child, 0)
    os.close(master)
    return os.waitstatus_to_exitcode(status), out.decode().replace("\r\n", "\n")
