"""The body of an answer, piece by piece: its content encoding undone, its size bounded before and after."""

import zlib

from odyssey.core.outbound_errors import PARTIAL_BYTES, AnswerTooLargeError, BadEncodingError


class BodyReader:
    """Takes the bytes of one answer as they arrive and gives back what they say."""

    def __init__(self, where: str, status: int, encoding: str, max_bytes: int) -> None:
        self._where = where
        self._status = status
        self._encoding = encoding.strip().lower()[:40]
        self._encoded = self._encoding not in ("", "identity")
        # An incompressible body grows a little when it is packed.
        self._raw_limit = max_bytes + max_bytes // 64 + 1024 if self._encoded else max_bytes
        self._max_bytes = max_bytes
        self._raw_size = 0
        self._size = 0
        self._waiting = b""
        self._evidence = bytearray()
        self._unpacker: zlib._Decompress | None = None

    def feed(self, piece: bytes) -> bytes:
        """Take the next bytes; the result may be empty while more is needed."""
        self._raw_size += len(piece)
        if not self._encoded:
            self._keep(piece)
        elif self._unpacker is None:
            piece = self._waiting = self._waiting + piece
            if len(piece) < 2:
                return b""  # the two forms of deflate differ in their first two bytes
            self._unpacker = zlib.decompressobj(self._window_bits(piece))
        if self._raw_size > self._raw_limit:
            raise self._too_large()
        return piece if self._unpacker is None else self._unpack(self._unpacker, piece)

    def finish(self) -> None:
        """Say that nothing follows."""
        if not self._encoded or not self._raw_size:
            return
        if self._unpacker is None or not self._unpacker.eof or self._unpacker.unused_data:
            raise self._bad(f"sent a {self._encoding} body that is cut short or followed by other bytes.")

    def _unpack(self, unpacker: "zlib._Decompress", piece: bytes) -> bytes:
        try:
            unpacked = unpacker.decompress(piece, self._max_bytes - self._size + 1)
        except zlib.error:
            self._keep(piece)
            raise self._bad(f"said {self._encoding} but sent something else.") from None
        self._keep(unpacked)
        self._size += len(unpacked)
        if self._size > self._max_bytes:
            raise self._too_large()
        return unpacked

    def _window_bits(self, beginning: bytes) -> int:
        if self._encoding in ("gzip", "x-gzip"):
            return zlib.MAX_WBITS | 16
        if self._encoding == "deflate":
            return zlib.MAX_WBITS if _has_zlib_header(beginning) else -zlib.MAX_WBITS
        self._keep(beginning)
        raise self._bad(f"sent a content encoding that was not asked for: {self._encoding!r}.")

    def _keep(self, piece: bytes) -> None:
        self._evidence += piece[: PARTIAL_BYTES - len(self._evidence)]

    def _bad(self, problem: str) -> BadEncodingError:
        message = f"{self._where} {problem}"
        return BadEncodingError(message, status=self._status, partial=bytes(self._evidence))

    def _too_large(self) -> AnswerTooLargeError:
        message = f"{self._where} answered {self._status} with a body over {self._max_bytes} bytes."
        return AnswerTooLargeError(message, status=self._status, partial=bytes(self._evidence))


def _has_zlib_header(beginning: bytes) -> bool:
    """Tell zlib from raw deflate: servers send both under the one name."""
    return beginning[0] & 0x0F == zlib.DEFLATED and (beginning[0] << 8 | beginning[1]) % 31 == 0
