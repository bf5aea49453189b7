"""Every error leaves through here, in one shape (RFC 9457)."""

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import Match

from odyssey.core.errors import NotFoundError, OdysseyError, ValidationFailedError, problem
from odyssey.records.problems import FieldError

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
    return ProblemResponse(ValidationFailedError([_fault(item) for item in error.errors()]))


def _fault(item: dict[str, Any]) -> FieldError:
    path = tuple(part if isinstance(part, int) else str(part)[:100] for part in item["loc"])
    if path[:1] == ("body",):
        path = path[1:] or path  # a place in the body is named by its members alone, whoever finds the fault
    return FieldError(loc=path, msg=f"{'.'.join(str(part) for part in path)}: {item['msg']}")


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
