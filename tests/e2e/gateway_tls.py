#!/usr/bin/env python3
"""TLS in front of the gateway: the same answers, streams and ends as without it; certificates that are renewed; clients that are no
clients of TLS; a deployment whose gateway is killed."""
import http.client
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

import deployments
from gateway_parts import CHAT, DONE, SEXTANT, SSE_HEAD, Backend, answer, chunk, event, until


def certificate(folder, name, serial, *more):
    """A new pair of files in the place of those that are there, each moved over."""
    made = {kind: str(folder / f"{name}.{kind}.new") for kind in ("crt", "key")}
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-set_serial", str(serial), "-out", made["crt"], "-keyout", made["key"], *more],
                   check=True, capture_output=True, timeout=60)
    for kind, path in made.items():
        os.replace(path, folder / f"{name}.{kind}")
    return str(folder / f"{name}.crt"), str(folder / f"{name}.key")


def serve(connection, head, body):
    if head.startswith(b"GET /v1/models"):
        return answer({"object": "list", "data": [{"id": "toy", "object": "model"}]})
    asked = json.loads(body)
    if asked.get("wait"):
        connection.sendall(SSE_HEAD + chunk(event("a")))
        time.sleep(asked["wait"])
        return chunk(DONE) + b"0\r\n\r\n"
    return answer({"bytes": len(body), "back": "y" * asked.get("back", 0)})


def request(body):
    sent = json.dumps(body).encode()
    return b"POST " + CHAT.encode() + b" HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(sent) + sent


@unittest.skipUnless(shutil.which("openssl"), "openssl, which makes certificates, is not there")
class Tls(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.files = certificate(self.folder, "server", 11)
        self.trusted = str(self.folder / "trusted.pem")
        shutil.copy(self.files[0], self.trusted)

    def begin(self, *more, files=None, behave=serve):
        self.backend = Backend(behave)
        self.addCleanup(self.backend.kill)
        self.process = self.front(*(files or self.files), *more)
        line = self.process.stdout.readline()
        self.assertIn("https://", line)
        self.port = int(line.split("/v1")[0].rsplit(":", 1)[1])

    def front(self, certificate_file, key, *more):
        backend = self.backend.port if hasattr(self, "backend") else 1
        process = subprocess.Popen([SEXTANT, "gateway", "--listen", "127.0.0.1:0", "--backend", f"http://127.0.0.1:{backend}", "--tls-cert", certificate_file,
                                    "--tls-key", key, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for end in (process.stderr.close, process.stdout.close, lambda: process.wait(10), process.kill):
            self.addCleanup(end)
        return process

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def trust(self):
        return ssl.create_default_context(cafile=self.trusted)

    def connect(self, context=None):
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        try:
            # An end that is not said is an error.
            return (context or self.trust()).wrap_socket(plain, server_hostname="127.0.0.1", suppress_ragged_eofs=False)
        except (OSError, ValueError):
            plain.close()
            raise

    def ask(self, *bodies):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=20, context=self.trust())
        try:
            got = []
            for body in bodies:
                connection.request("POST", CHAT, json.dumps(body), {"Content-Type": "application/json"})
                reply = connection.getresponse()
                got.append((reply.status, reply.read()))
            return got
        finally:
            connection.close()

    def serial(self):
        """Of the certificate that a new client is shown, whoever signed it."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with self.connect(context) as client:
            shown = ssl.DER_cert_to_PEM_cert(client.getpeercert(binary_form=True))
        told = subprocess.run(["openssl", "x509", "-noout", "-serial"], input=shown, capture_output=True, text=True, check=True, timeout=20)
        return int(told.stdout.split("=")[1], 16)

    def metric(self, name):
        got = subprocess.run(["curl", "-s", "--cacert", self.trusted, f"https://127.0.0.1:{self.port}/metrics"], capture_output=True, text=True, timeout=20)
        return next((float(line.split()[-1]) for line in got.stdout.splitlines() if line.startswith(name + " ")), None)

    def test_it_answers_as_without(self):
        self.begin()
        self.ask({"model": "toy"})
        usual = self.open_files()
        got = self.ask({"model": "toy"}, {"model": "toy", "back": 3_000_000}, {"model": "toy", "x": "z" * 3_000_000}, {"model": "none"})
        self.assertEqual([status for status, _ in got], [200, 200, 200, 404])
        self.assertEqual(len(json.loads(got[1][1])["back"]), 3_000_000)
        self.assertGreater(json.loads(got[2][1])["bytes"], 3_000_000)
        self.assertEqual(self.ask({"model": "toy", "wait": 0.1})[0], (200, event("a") + DONE))
        told = []

        def one(number):
            told.extend(self.ask(*[{"model": "toy", "back": number * 1000} for _ in range(10)]))
        threads = [threading.Thread(target=one, args=(number,)) for number in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual([status for status, _ in told], [200] * 200)
        curl = subprocess.run(["curl", "-s", "--cacert", self.trusted, f"https://localhost:{self.port}/v1/models"], capture_output=True, timeout=20)
        self.assertEqual(json.loads(curl.stdout)["data"][0]["id"], "toy")
        self.assertGreater(self.metric("sextant_tls_handshakes_total"), 22)
        self.assertAlmostEqual(self.metric("sextant_tls_certificate_end_seconds"), time.time() + 2 * 86400, delta=120)
        until(lambda: self.open_files() <= usual)

    def test_what_is_spoken(self):
        self.begin()
        for offered, chosen in ((["h2", "http/1.1"], "http/1.1"), (["http/1.1"], "http/1.1"), ([], None)):
            context = self.trust()
            if offered:
                context.set_alpn_protocols(offered)
            with self.connect(context) as client:
                self.assertEqual(client.selected_alpn_protocol(), chosen)
                self.assertEqual(client.version(), "TLSv1.3")
        context = self.trust()
        context.set_alpn_protocols(["h2"])
        with self.assertRaises((ssl.SSLError, OSError)):
            self.connect(context).close()
        old = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{self.port}", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], stdin=subprocess.DEVNULL,
                             capture_output=True, timeout=20)
        self.assertNotEqual(old.returncode, 0)
        self.assertIn(b"alert protocol version", old.stderr)
        context = self.trust()
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        with self.connect(context) as client:
            self.assertEqual(client.version(), "TLSv1.2")
            self.assertIn("GCM", client.cipher()[0])
            client.sendall(request({"model": "toy"}))
            self.assertIn(b"200 OK", client.recv(65536))

    def test_an_event_leaves_at_once_and_a_client_that_goes_is_seen(self):
        self.begin()
        with self.connect() as client:
            client.sendall(request({"model": "toy", "wait": 60}))
            got = b""
            while event("a") not in got:
                got += client.recv(65536)
            upstream = [one for one in self.backend.open]
        self.assertTrue(upstream)
        until(lambda: self.metric("sextant_clients_gone_total") == 1, 20)  # long before the engine says something
        self.assertEqual(self.metric("sextant_requests_in_flight"), 0)

    def test_a_client_that_does_not_read_holds_up_the_engine(self):
        sent = []

        def flood(connection, head, body):
            if head.startswith(b"GET"):
                return serve(connection, head, body)
            connection.settimeout(1)
            connection.sendall(SSE_HEAD)
            part = chunk(event("x" * 60_000))
            try:
                for _ in range(2000):  # 120 MB, if somebody took them
                    connection.sendall(part)
                    sent.append(len(part))
            except OSError:
                sent.append(0)
            return None
        self.begin(behave=flood)
        with self.connect() as client:
            client.sendall(request({"model": "toy"}))
            until(lambda: sent and sent[-1] == 0, 20)
            self.assertLess(sum(sent), 30 << 20)  # what lies in the kernel on the way
            until(lambda: client.recv(65536) == b"" or len(sent) > 1, 20)

    def test_an_answer_that_was_cut_does_not_end_in_order(self):
        """A client of HTTP/1.0 has nothing but the connection's end to know the whole by."""
        def breaks_off(connection, head, body):
            if head.startswith(b"GET"):
                return serve(connection, head, body)
            whole = json.loads(body)["whole"]
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b'{"a":1'))
            return chunk(b"}") + b"0\r\n\r\n" if whole else None
        self.begin(behave=breaks_off)

        def ended(whole):
            with self.connect() as client:
                client.sendall(request({"model": "toy", "whole": whole}).replace(b"HTTP/1.1", b"HTTP/1.0"))
                got = b""
                try:
                    while more := client.recv(65536):
                        got += more
                except (ssl.SSLEOFError, ConnectionResetError):
                    return got, "cut"
                return got, "in order"
        got, how = ended(True)
        self.assertEqual((got.split(b"\r\n\r\n")[1], how), (b'{"a":1}', "in order"))
        got, how = ended(False)
        self.assertEqual((got.split(b"\r\n\r\n")[1], how), (b'{"a":1', "cut"))

    def test_renewed_certificates_are_for_new_connections(self):
        self.begin()
        self.assertEqual(self.serial(), 11)
        stream = self.connect()
        stream.sendall(request({"model": "toy", "wait": 4}))
        got = b""
        while event("a") not in got:
            got += stream.recv(65536)
        certificate(self.folder, "server", 12)
        until(lambda: self.serial() == 12)
        (self.folder / "server.crt").write_text("no certificate")
        self.assertIn("server.crt holds no certificate", self.process.stderr.readline())
        self.assertEqual(self.serial(), 12)
        shutil.copy(self.trusted, self.folder / "server.crt")  # of another key
        self.assertIn("server.key is not the key of the first certificate in", self.process.stderr.readline())
        self.assertEqual(self.serial(), 12)
        certificate(self.folder, "server", 13)
        until(lambda: self.serial() == 13)
        while b"0\r\n\r\n" not in got:
            more = stream.recv(65536)
            self.assertTrue(more, "cut by a renewed certificate")
            got += more
        stream.sendall(request({"model": "toy"}))  # and the connection goes on
        self.assertIn(b"200 OK", stream.recv(65536))
        stream.close()

    def test_a_link_that_points_elsewhere(self):
        """As Kubernetes renews secrets: names lead through a link, and that is what changes."""
        for version, serial in (("one", 21), ("two", 22)):
            (self.folder / version).mkdir()
            certificate(self.folder / version, "tls", serial)
        (self.folder / "data").symlink_to("one")
        self.begin(files=(str(self.folder / "data/tls.crt"), str(self.folder / "data/tls.key")))
        self.assertEqual(self.serial(), 21)
        (self.folder / "new").symlink_to("two")
        os.replace(self.folder / "new", self.folder / "data")
        until(lambda: self.serial() == 22)

    def test_one_that_is_renewed_while_no_file_can_be_opened(self):
        """Its clients have all descriptors: the new pair is read once there is one for it."""
        self.begin()
        self.assertEqual(self.serial(), 11)
        soft, hard = resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE, (0, hard))
        certificate(self.folder, "server", 14)
        self.assertIn("too many files are open", self.process.stderr.readline())
        resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE, (soft, hard))
        until(lambda: self.serial() == 14)

    def test_those_that_do_not_speak_tls(self):
        self.begin()
        self.ask({"model": "toy"})
        usual = self.open_files()

        def answered(words):
            with socket.create_connection(("127.0.0.1", self.port), timeout=20) as client:
                got = b""
                try:
                    client.sendall(words)
                    if not words:
                        client.shutdown(socket.SHUT_WR)
                    while more := client.recv(65536):
                        got += more
                except (ConnectionResetError, BrokenPipeError):
                    pass
                return got
        head, body = answered(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n\r\n" + b"x" * 20_000).split(b"\r\n\r\n", 1)
        self.assertTrue(head.startswith(b"HTTP/1.1 400 "), head)
        told = json.loads(body)["error"]
        self.assertEqual(told["code"], "tls_expected")
        self.assertIn("https://", told["message"])
        self.assertIn("https://", told["message_zh"])
        for words in (b"\x16\x03\x01\xff\xff" + b"\0" * 70_000, b"\x80" * 100, b""):
            self.assertNotIn(b"HTTP/1.1", answered(words))
        slow = [socket.create_connection(("127.0.0.1", self.port), timeout=20) for _ in range(100)]
        for one in slow:
            one.sendall(b"\x16\x03")
        self.assertEqual(self.ask({"model": "toy"})[0][0], 200)
        self.assertGreaterEqual(self.open_files(), usual + 90)  # connections to the engine come and go
        for one in slow:
            one.close()
        until(lambda: self.open_files() <= usual)
        self.assertGreaterEqual(self.metric("sextant_tls_handshakes_failed_total"), 103)

    def test_it_drains(self):
        self.begin()
        idle, slow = self.connect(), socket.create_connection(("127.0.0.1", self.port), timeout=10)
        told = []
        thread = threading.Thread(target=lambda: told.extend(self.ask({"model": "toy", "wait": 1})))
        thread.start()
        until(lambda: any(b"wait" in body for _, body in list(self.backend.requests)))
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(idle.recv(100), b"")  # said, not cut
        self.assertEqual(slow.recv(100), b"")
        thread.join(10)
        self.assertEqual(told, [(200, event("a") + DONE)])
        idle.close()
        slow.close()
        self.assertEqual(self.process.wait(10), 0)

    def test_what_cannot_be_used_is_said(self):
        other = certificate(self.folder, "other", 5)
        for files, words in (((self.files[0], other[1]), "is not the key of"), (("/nowhere.crt", other[1]), "/nowhere.crt"), ((self.files[1], other[1]), "server.key")):
            for language in ("en", "zh"):
                process = self.front(*files, "--lang", language)
                out, error = process.communicate(timeout=30)
                self.assertEqual((process.returncode, out), (2, ""), error)
                self.assertTrue(words in error if language == "en" else any("\u4e00" <= c <= "\u9fff" for c in error), error)
        ran = subprocess.run([SEXTANT, "gateway", "--backend", "http://127.0.0.1:1", "--tls-cert", self.files[0]], capture_output=True, text=True, timeout=30)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("--tls-key", ran.stderr)
        os.chmod(self.files[1], 0o644)
        self.begin()
        self.assertIn("server.key is open to other users", self.process.stderr.readline())
        old = str(self.folder / "old.crt")
        os.chmod(self.files[1], 0o600)
        subprocess.run(["openssl", "x509", "-in", self.files[0], "-signkey", self.files[1], "-days", "-1", "-out", old], check=True, capture_output=True, timeout=20)
        self.begin(files=(old, self.files[1]))
        self.assertRegex(self.process.stderr.readline(), r"the certificate in .*old\.crt ended on 20\d\d-.* UTC: clients refuse it")


@unittest.skipUnless(shutil.which("openssl"), "openssl, which makes certificates, is not there")
class OfADeployment(unittest.TestCase):
    def test_its_gateway_is_killed_and_the_next_one_speaks_tls_on_the_same_socket(self):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        crt, key = certificate(folder, "server", 31)
        engine = deployments.fake_launch("vllm", deployments.free_ports(1)[0])
        with deployments.Deployment([engine]) as deployment:
            deployment.document["gateway"] = {"aliases": {}, "default_model": "", "tls_certificate": crt, "tls_key": key}
            deployment.write()
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"))
            self.assertEqual(deployment.status()["address"], f"https://127.0.0.1:{deployment.port}")
            environment = {**os.environ, "SEXTANT_STATE": str(deployment.state.parent)}
            smoke = subprocess.run([SEXTANT, "smoke", "--name", "test"], env=environment, capture_output=True, text=True, timeout=60)
            self.assertEqual(smoke.returncode, 0, smoke.stderr)
            self.assertIn(f"https://127.0.0.1:{deployment.port}", smoke.stdout)
            for words in (("--name", "test"), ("--url", f"https://localhost:{deployment.port}", "--ca", crt)):
                bench = subprocess.run([SEXTANT, "bench", "serve", *words, "--users", "2", "--seconds", "1", "--warm-up", "0", "--output-tokens", "4", "--format", "json"],
                                       env=environment, capture_output=True, text=True, timeout=60)
                self.assertEqual(bench.returncode, 0, bench.stderr)
                told = json.loads(bench.stdout)
                self.assertTrue(told["address"].startswith("https://"))
                self.assertEqual(told["requests"]["failed"], 0)
            stranger = subprocess.run([SEXTANT, "bench", "serve", "--url", f"https://localhost:{deployment.port}"], env=environment, capture_output=True, text=True, timeout=60)
            self.assertEqual(stranger.returncode, 2)
            self.assertIn("no TLS with localhost", stranger.stderr)

            def health():
                connection = http.client.HTTPSConnection("127.0.0.1", deployment.port, timeout=10, context=ssl.create_default_context(cafile=crt))
                try:
                    connection.request("GET", "/health")
                    return connection.getresponse().status
                except OSError:
                    return 0
                finally:
                    connection.close()
            self.assertEqual(health(), 200)
            relay = [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and self.is_relay(pid, deployment.state)]
            self.assertEqual(len(relay), 1)
            os.kill(relay[0], signal.SIGKILL)
            self.assertTrue(deployments.wait_for(lambda: health() == 200, 20))

    @staticmethod
    def is_relay(pid, state):
        try:
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return b"relay" in words and str(state).encode() in words


if __name__ == "__main__":
    unittest.main()
