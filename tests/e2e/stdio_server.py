"""A server under test, spoken to in raw JSON-RPC lines over its standard input and output."""

import json
import queue
import subprocess
import threading
import time


class StdioServer:
    def __init__(self, argv, env, stderr_file):
        self._stderr = open(stderr_file, "wb")
        self.stderr_file = stderr_file
        self.process = subprocess.Popen(
            [str(word) for word in argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env=env,
        )
        self.dirt = []  # lines of stdout that are no JSON-RPC message
        self.notifications = []
        self._answers = queue.Queue()
        self._unclaimed = {}
        self._next_id = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            try:
                message = json.loads(line)
                assert message["jsonrpc"] == "2.0"
            except (ValueError, AssertionError, KeyError, TypeError):
                self.dirt.append(line)
                continue
            if "id" in message and "method" not in message:
                self._answers.put(message)
            else:
                self.notifications.append(message)

    def send_bytes(self, data: bytes):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def notify(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, **({"params": params} if params is not None else {})})

    def start_request(self, method, params=None):
        self._next_id += 1
        message = {"jsonrpc": "2.0", "id": self._next_id, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return self._next_id

    def answer(self, request_id, timeout=60):
        deadline = time.monotonic() + timeout
        while request_id not in self._unclaimed:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"no answer to request {request_id}; stderr: {self.stderr()}")
            try:
                message = self._answers.get(timeout=left)
            except queue.Empty:
                continue
            self._unclaimed[message["id"]] = message
        return self._unclaimed.pop(request_id)

    def request(self, method, params=None, timeout=60):
        return self.answer(self.start_request(method, params), timeout)

    def initialize(self, version="2025-11-25"):
        answer = self.request(
            "initialize",
            {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "e2e", "version": "1"}},
        )
        self.notify("notifications/initialized")
        return answer["result"]

    def call(self, tool, arguments=None, timeout=120, **params):
        answer = self.request("tools/call", {"name": tool, "arguments": arguments or {}, **params}, timeout)
        assert "result" in answer, answer
        return answer["result"]

    def stderr(self):
        with open(self.stderr_file, "rb") as file:
            return file.read().decode(errors="replace")

    def close_input(self, timeout=10):
        """Closes its standard input and gives its exit status."""
        self.process.stdin.close()
        status = self.process.wait(timeout)
        self._reader.join(timeout)
        return status

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if not self.process.stdin.closed:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        self._reader.join(5)
        self._stderr.close()
