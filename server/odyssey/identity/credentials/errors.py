"""What can stand in the way of keeping or deleting a credential."""

from collections.abc import Iterable

from odyssey.core.errors import ConflictError


class CredentialExistsError(ConflictError):
    code, title = "credential_exists", "The name is taken"

    def __init__(self, name: str) -> None:
        super().__init__(f"There is a credential {name!r} already; change that one, or choose another name.")


class CredentialInUseError(ConflictError):
    code, title = "in_use", "Tool endpoints use this credential"

    def __init__(self, name: str, endpoints: Iterable[str]) -> None:
        users = ", ".join(repr(endpoint) for endpoint in endpoints)
        super().__init__(f"Tool endpoints use the credential {name!r}: {users}. Give them another one first.")
