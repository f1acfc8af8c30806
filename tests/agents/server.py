#!/usr/bin/env python3
"""A server on the loopback interface that plays the APIs of coding agents, so that the real programs can be tried offline.

    tests/agents/server.py --scenario 429

prints its port and answers until it is ended. `--log FILE` keeps the requests. scenarios.py lists the scenarios.
"""

import argparse
import http.server
import json
import os
import pathlib
import signal
import socket
import struct
import threading
import time

import wire
from conversation import TIMES, Work
from scenarios import SCENARIOS, SIGNALS, played, strikes_once

# How long the limit of a scenario lasts, in seconds.
LENGTHS = {"week": 3 * 24 * 3600}
USUAL_LENGTH = 3 * 3600


class Server(http.server.ThreadingHTTPServer):
    """Answers with the present scenario, which may be changed at any time."""

    daemon_threads = True

    def __init__(self, scenario="success", folder=".", log=None, at="before", resets=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.scenario = scenario
        self.work = Work(folder, at)
        self.resets = resets or int(time.time()) + LENGTHS.get(scenario, USUAL_LENGTH)
        self.log = log
        self.requests = 0
        self.has_struck = False
        self.is_open = True
        self.ending = threading.Event()
        self.lock = threading.Lock()

    @property
    def port(self):
        return self.server_address[1]

    def start(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def stop(self):
        self.ending.set()
        self.close()

    def close(self):
        """Stops to listen."""
        with self.lock:
            was_open, self.is_open = self.is_open, False
        if was_open:
            self.shutdown()
            self.server_close()

    def strikes(self, request):
        """Whether the trouble of the scenario strikes at this request."""
        if not self.work.strikes(request) or self.has_struck and strikes_once(self.scenario):
            return False
        self.has_struck = True
        return True

    def handle_error(self, request, client_address):
        """A client that goes away is nothing to report."""

    def note(self, line):
        if self.log:
            with self.lock, open(self.log, "a", encoding="utf-8") as file:
                file.write(line + "\n")


def signal_client(client_port, server_port, sent):
    """Sends a signal to the process at the other end of a connection."""
    ends = (f":{client_port:04X}", f":{server_port:04X}")
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[1].endswith(ends[0]) and fields[2].endswith(ends[1]):
            socket_name = f"socket:[{fields[9]}]"
            for link in pathlib.Path("/proc").glob("[0-9]*/fd/*"):
                try:
                    if os.readlink(link) == socket_name:
                        os.kill(int(link.parts[2]), sent)
                except OSError:
                    continue


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    server_version = "loopback"
    sys_version = ""

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.send(200, "application/json", b"")

    def do_GET(self):
        self.server.note(f"GET {self.path}")
        if self.path.split("?")[0].rstrip("/").endswith("/models"):
            models = [{"id": "mock-model", "object": "model", "created": 0, "owned_by": "nobody"}]
            return self.send_json(200, {"object": "list", "data": models})
        return self.send_json(404, {"error": {"message": "not found", "type": "invalid_request_error"}})

    def do_POST(self):
        raw = self.body()
        self.server.note(f"POST {self.path} {raw.decode('utf-8', 'replace')}")
        path = self.path.split("?")[0]
        if path.endswith(("/count_tokens", ":countTokens")):
            return self.send_json(200, {"input_tokens": wire.INPUT, "totalTokens": wire.INPUT})
        api = wire.api_of(path)
        if not api:
            return self.send_json(404, {"error": {"message": "not found", "type": "invalid_request_error"}})
        try:
            body = json.loads(raw)
        except ValueError:
            return self.send_json(400, {"error": {"message": "not JSON", "type": "invalid_request_error"}})
        if api is wire.Gemini:
            body["stream"] = path.endswith(":streamGenerateContent")
            body["model"] = path.rsplit("/", 1)[-1].split(":")[0]
        with self.server.lock:
            self.server.requests += 1
            number = self.server.requests
        return self.play(api, body, number)

    def play(self, api, body, number):
        request = api.read(body)
        scenario = played(self.server.scenario) if self.server.strikes(request) else "success"
        if scenario in SIGNALS:
            signal_client(self.client_address[1], self.server.port, getattr(signal, SIGNALS[scenario]))
            return self.drop()
        if scenario == "closed":
            self.server.close()
        if scenario in ("drop", "closed"):
            return self.drop()
        if scenario == "reset":
            return self.reset()
        if scenario == "hang":
            return self.wait()
        if scenario in ("html", "portal"):
            return self.send(502 if scenario == "html" else 200, "text/html", wire.PAGE)
        if SCENARIOS[scenario].status:
            status, headers, error = api.error(SCENARIOS[scenario].status, scenario, self.server.resets)
            if scenario == "429-retry-after":
                headers["retry-after"] = "2"
            return self.send_json(status, error, headers)
        answer = self.server.work.answer(request, scenario)
        kind, pieces = api.write(answer, body, number)
        if scenario in wire.BODIES:
            return self.send(200, kind, wire.BODIES[scenario])
        self.begin(kind)
        for piece in self.pieces(scenario, api, pieces):
            self.chunk(piece)
        if scenario == "hang-mid":
            return self.wait()
        if scenario == "drop-mid":
            return self.drop()
        return self.chunk(b"")

    @staticmethod
    def pieces(scenario, api, pieces):
        """The pieces of an answer that are sent."""
        if scenario in wire.IN_STREAM:
            return [*pieces[: (len(pieces) + 1) // 2], api.error_event(scenario)]
        if scenario not in ("drop-mid", "hang-mid"):
            return pieces
        if len(pieces) == 1:
            return [pieces[0][: len(pieces[0]) // 2]]
        return pieces[: (len(pieces) + 1) // 2]

    def body(self):
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            whole = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                whole += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            whole = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            import gzip

            whole = gzip.decompress(whole)
        return whole

    def begin(self, kind):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def chunk(self, piece):
        self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        self.wfile.flush()

    def send_json(self, status, value, headers=None):
        self.send(status, "application/json", json.dumps(value).encode(), headers)

    def send(self, status, kind, body, headers=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def wait(self):
        self.close_connection = True
        self.server.ending.wait()

    def reset(self):
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def drop(self):
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenario", default="success", choices=SCENARIOS)
    parser.add_argument("--folder", default=".", help="where files are written if a request names no folder")
    parser.add_argument("--log", help="a file to which the requests are appended")
    parser.add_argument("--at", default="before", choices=TIMES, help="when the trouble strikes")
    options = parser.parse_args()
    server = Server(options.scenario, options.folder, options.log, options.at)
    print(server.port, flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
