"""An agent that only waits: `python -m benchmarks.matrix.agent --delay-ms 50`. It prints where it listens.

It is a bare protocol on purpose: what it costs is the same for every subject, and as little as can be.
"""

import argparse
import asyncio
import re
from typing import cast

import uvloop

LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
BODY = b'{"final_response": "{\\"decision\\": \\"refuse\\"}"}'
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (
    len(BODY),
    BODY,
)


class Agent(asyncio.Protocol):
    """Answers each request after the delay; connections stay open for those who keep them."""

    def __init__(self, delay_s: float) -> None:
        self._delay_s = delay_s
        self._received = b""
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's does not say it is one

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (head := self._received.find(b"\r\n\r\n")) >= 0:
            length = LENGTH.search(self._received, 0, head)
            end = head + 4 + (int(length[1]) if length else 0)
            if len(self._received) < end:
                return
            self._received = self._received[end:]
            if self._delay_s:
                asyncio.get_running_loop().call_later(self._delay_s, self._answer)
            else:
                self._answer()

    def _answer(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(ANSWER)


async def serve(delay_s: float) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: Agent(delay_s), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delay-ms", type=float, default=50.0)
    uvloop.run(serve(parser.parse_args().delay_ms / 1000))


if __name__ == "__main__":
    main()
