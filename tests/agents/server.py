#!/usr/bin/env python3
"""A server on the loopback interface that plays the APIs of coding agents, so that the real programs can be tried offline.

    tests/agents/server.py --scenario 429

prints its port and answers until it is ended. `--log FILE` keeps the requests. The scenarios are in SCENARIOS.
"""

import argparse
import http.server
import json
import os
import pathlib
import signal
import socket
import threading
import time

import wire
from conversation import TIMES, Work

SCENARIOS = {
    "success": "the model edits a file and then reports; a review approves",
    "reject": "the first review rejects, the one after the next attempt approves",
    "interim": "a review says APPROVED on the way and ends with REJECTED",
    "verdict": "as reject; the reviews are documents, and the last one leaves a remark open",
    "verdict-broken": "the first answer of the reviewer is a document that is cut off",
    "verdict-must": "the reviewer approves, and names something that must not stay",
    "commit": "the model also commits its change",
    "big": "as success; the prompt is long",
    "root": "as success; as root",
    "400": "the request is refused as wrong",
    "401": "the key is wrong",
    "402": "no credit is left",
    "403": "the key may not be used for this",
    "404": "there is no such model",
    "429": "too many requests, and no time is named",
    "429-retry-after": "too many requests; try again in two seconds",
    "limit": "the usage limit is reached and ends at a time that is named",
    "500": "an error of the server",
    "503": "the server is not available",
    "529": "the server has too much to do",
    "hang": "the request is accepted and never answered",
    "hang-mid": "the answer begins and never ends",
    "key": "the key was revoked, which some services report as a wrong request",
    "long": "the conversation is longer than the model can take",
    "kill": "the program of the agent is killed",
    "drop": "the connection is closed before an answer",
    "drop-mid": "the connection is closed in the middle of an answer",
    "malformed": "the answer is not what the API promises",
    "empty": "the answer is empty",
}

STATUS = {"429-retry-after": 429, "limit": 429, "key": 400, "long": 400}


class Server(http.server.ThreadingHTTPServer):
    """Answers with the present scenario, which may be changed at any time."""

    daemon_threads = True

    def __init__(self, scenario="success", folder=".", log=None, at="before", resets=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.scenario = scenario
        self.work = Work(folder, at)
        self.resets = resets or int(time.time()) + 3 * 3600
        self.log = log
        self.requests = 0
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
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        """A client that goes away is nothing to report."""

    def note(self, line):
        if self.log:
            with self.lock, open(self.log, "a", encoding="utf-8") as file:
                file.write(line + "\n")


def kill_client(client_port, server_port):
    """Kills the process at the other end of a connection."""
    ends = (f":{client_port:04X}", f":{server_port:04X}")
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[1].endswith(ends[0]) and fields[2].endswith(ends[1]):
            socket_name = f"socket:[{fields[9]}]"
            for link in pathlib.Path("/proc").glob("[0-9]*/fd/*"):
                try:
                    if os.readlink(link) == socket_name:
                        os.kill(int(link.parts[2]), signal.SIGKILL)
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
        scenario = self.server.scenario
        if not self.server.work.strikes(api.read(body)):
            scenario = "success"
        if scenario == "kill":
            kill_client(self.client_address[1], self.server.port)
            return self.drop()
        status = STATUS.get(scenario) or (int(scenario) if scenario.isdigit() else None)
        if status:
            headers, error = api.error(status, scenario, self.server.resets)
            if scenario == "429-retry-after":
                headers["retry-after"] = "2"
            return self.send_json(status, error, headers)
        if scenario == "hang":
            return self.wait()
        if scenario == "drop":
            return self.drop()
        answer = self.server.work.answer(api.read(body), scenario)
        kind, pieces = api.write(answer, body, number)
        if scenario == "empty":
            return self.send(200, kind, b"")
        if scenario == "malformed":
            return self.send(200, kind, b"data: {\"type\": \"message_start\", \"mess\n\ndata: <html>\n\n")
        self.begin(kind)
        half = scenario in ("drop-mid", "hang-mid")
        if half and len(pieces) == 1:
            pieces = [pieces[0][: len(pieces[0]) // 2], b""]
        for piece in pieces[: (len(pieces) + 1) // 2] if half else pieces:
            self.chunk(piece)
        if scenario == "hang-mid":
            return self.wait()
        if scenario == "drop-mid":
            return self.drop()
        return self.chunk(b"")

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
