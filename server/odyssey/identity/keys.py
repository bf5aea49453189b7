"""Keys derived from the one secret the operator holds; none of them is ever stored."""

import hashlib
import hmac

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


class MasterKey:
    def __init__(self, secret: str) -> None:
        if len(secret) < 32:
            raise ValueError(
                "the secret key must have at least 32 characters; make one with: openssl rand -hex 32"
            )
        self._secret = secret.encode("utf-8")
        self.id = hashlib.sha256(b"odyssey key id" + self._derive("id")).hexdigest()[:16]

    def __repr__(self) -> str:
        return f"MasterKey(id={self.id!r})"

    @property
    def wrapping_key(self) -> bytes:
        return self._derive("wrap data keys")

    @property
    def jwt_key(self) -> bytes:
        return self._derive("sign people's tokens")

    def digest(self, purpose: str, message: bytes) -> str:
        """Keyed hash, so that a copy of the database does not allow guessing the message."""
        return hmac.new(self._derive(purpose), message, hashlib.sha256).hexdigest()

    def _derive(self, purpose: str) -> bytes:
        derivation = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=purpose.encode("utf-8"))
        return derivation.derive(self._secret)


def token_hash(token: str) -> str:
    """Every bearer secret meets the database only as this."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
