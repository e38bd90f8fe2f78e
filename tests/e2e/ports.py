"""Ports that a test picks for somebody else to listen on.

A port that the kernel gave and that was closed again may be given to the next outgoing connection of any test that
runs beside. So they come from below the kernel's own range, and each is claimed while the test's process lives, by a
name in the abstract namespace: it goes with the process however that ends.
"""
import random
import socket

HOST = "127.0.0.1"
FIRST, LAST = 19200, 32000  # above those that `up` chooses, below net.ipv4.ip_local_port_range as Linux has it
_claims = []


def _claim(port):
    name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        name.bind(f"\0sextant-test-port-{port}")
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((HOST, port))
    except OSError:
        name.close()
        return False
    _claims.append(name)
    return True


def free_ports(count):
    """Ports that nobody listens on and no other test is given while this process lives."""
    ports = []
    for port in random.SystemRandom().sample(range(FIRST, LAST), LAST - FIRST):
        if _claim(port):
            ports.append(port)
            if len(ports) == count:
                return ports
    raise OSError(f"no {count} ports between {FIRST} and {LAST} are free")
