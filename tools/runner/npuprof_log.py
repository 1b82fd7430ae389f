"""stdout.log: what the workload printed, head and tail kept within a bound."""

import os
import time


class BoundedLog:
    """Writes the first half of the bound as it comes; of what follows, the last half is kept and rewritten in place.

    The file is whole after close(); before that its tail may lag FLUSH_S behind.
    """

    FLUSH_S = 1.0

    def __init__(self, path, limit):
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        self.half = max(512, limit // 2)
        self.head = 0
        self.tail = bytearray()
        self.left_out = 0
        self.dirty = False
        self.flushed_at = time.monotonic()

    def write(self, data):
        room = self.half - self.head
        if room > 0:
            self._put(data[:room], self.head)
            self.head += min(room, len(data))
            data = data[room:]
        if data:
            self.tail += data
            if len(self.tail) > 2 * self.half:
                self._cut()
            self.dirty = True
            if time.monotonic() - self.flushed_at >= self.FLUSH_S:
                self.flush()

    def flush(self):
        if not self.dirty:
            return
        self._cut()
        mark = b""
        if self.left_out:
            mark = b"\n[... %d bytes left out ...]\n" % self.left_out
        self._put(mark + bytes(self.tail), self.head)
        try:
            os.ftruncate(self.descriptor, self.head + len(mark) + len(self.tail))
        except OSError:
            pass
        self.dirty = False
        self.flushed_at = time.monotonic()

    def last_lines(self, count=20, limit=4000):
        text = bytes(self.tail[-limit:])
        if len(text) < limit and self.head:
            size = min(self.head, limit - len(text))
            try:
                text = os.pread(self.descriptor, size, self.head - size) + text
            except OSError:
                pass
        return "\n".join(text.decode("utf-8", "replace").splitlines()[-count:])

    def close(self):
        self.flush()
        os.close(self.descriptor)

    def _cut(self):
        surplus = len(self.tail) - self.half
        if surplus > 0:
            del self.tail[:surplus]
            self.left_out += surplus

    def _put(self, data, offset):
        try:
            os.pwrite(self.descriptor, data, offset)
        except OSError:  # a full disk loses the log, not the run
            pass
