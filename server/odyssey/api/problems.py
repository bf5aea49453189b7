"""Every error leaves through here, in one shape (RFC 9457)."""

from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import Match

from odyssey.core.errors import NotFoundError, OdysseyError, ValidationFailedError, problem
from odyssey.core.wire import pydantic_faults
from odyssey.records.problems import MOST_FAULTS

_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")


class ProblemResponse(JSONResponse):
    media_type = "application/problem+json"

    def __init__(self, error: OdysseyError) -> None:
        super().__init__(problem(error), status_code=error.status, headers=error.headers)


class _OtherStatusError(OdysseyError):
    """A refusal of the framework itself, such as 405."""

    def __init__(self, status: int, headers: dict[str, str]) -> None:
        phrase = HTTPStatus(status).phrase
        super().__init__(f"{phrase}.", headers=headers)
        self.status = status
        self.title = phrase
        self.code = phrase.lower().replace(" ", "_").replace("-", "_")


def install(app: FastAPI) -> None:
    app.add_exception_handler(OdysseyError, _expected)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)


async def _expected(request: Request, error: Exception) -> ProblemResponse:
    assert isinstance(error, OdysseyError)
    return ProblemResponse(error)


async def _invalid(request: Request, error: Exception) -> ProblemResponse:
    assert isinstance(error, RequestValidationError)
    errors = error.errors()
    for item in errors[:MOST_FAULTS]:
        if item["loc"][:1] == ("body",):  # a place in the body is named by its members alone
            item["loc"] = item["loc"][1:]
    return ProblemResponse(ValidationFailedError(pydantic_faults(errors, "body")))


async def _http(request: Request, error: Exception) -> ProblemResponse:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return ProblemResponse(NotFoundError())
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(_methods_of_path(request))
    return ProblemResponse(_OtherStatusError(error.status_code, headers))


def _methods_of_path(request: Request) -> list[str]:
    """List every method the path takes; the router itself names those of its first route only."""
    asked = {"type": "http", "path": request.scope["path"], "root_path": "", "headers": []}
    return [
        method
        for method in _METHODS
        if any(route.matches(asked | {"method": method})[0] is Match.FULL for route in request.app.routes)
    ]
