"""What can be wrong with an endpoint, or stand in the way of changing one."""

from collections.abc import Sequence

from odyssey.core.errors import ConflictError, NotAvailableYetError, ValidationFailedError
from odyssey.records.problems import FieldError


class EndpointExistsError(ConflictError):
    code, title = "endpoint_exists", "The name is taken"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is a tool endpoint {name!r} already; change that one, or choose another name."
        )


class EndpointChangedError(ConflictError):
    code, title, retryable = "endpoint_changed", "The endpoint was changed meanwhile", True

    def __init__(self) -> None:
        super().__init__(
            "Somebody changed this endpoint in the same moment; read it and send the change again."
        )


class EndpointInUseError(ConflictError):
    code, title = "in_use", "Agents use this endpoint"


class DocumentRefusedError(ValidationFailedError):
    """An OpenAPI document that cannot be used, with the code that says why."""

    title = "The OpenAPI document cannot be used"

    def __init__(self, code: str, message: str, loc: Sequence[str | int]) -> None:
        super().__init__([FieldError(loc=tuple(loc), msg=message)])
        self.code = code


class CodeEndpointError(ValidationFailedError):
    code, title = NotAvailableYetError.code, NotAvailableYetError.title

    def __init__(self) -> None:
        message = "endpoints of type 'code' are not available yet; this one is valid, but it cannot be kept"
        super().__init__([FieldError(loc=("type",), msg=message)])


# What can be wrong with asking for a cassette.


class CassetteInUseError(ConflictError):
    code, title = "in_use", "The cassette is being replayed"

    def __init__(self, users: str) -> None:
        super().__init__(
            f"{users} and needs this cassette; wait for the end or cancel it, then delete the cassette."
        )


class RunGoesOnError(ConflictError):
    code, title = "run_not_ended", "The run goes on"

    def __init__(self, run_id: int, status: str) -> None:
        super().__init__(f"Run {run_id} is {status}; it can be recorded once it has ended.")
