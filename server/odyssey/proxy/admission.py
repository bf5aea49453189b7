"""Who is at the door: the run token and the actor label, as headers."""

import re

from starlette.datastructures import Headers

from odyssey.proxy.errors import ActorIdInvalidError, RunTokenInvalidError

_ACTOR = re.compile(r"[A-Za-z0-9_.-]{1,64}(/[A-Za-z0-9_.-]{1,64}){0,7}")


def presented_token(headers: Headers) -> str:
    """Return the one token sent, in either header; two that differ are as good as none."""
    presented = set(headers.getlist("x-pipelines-run-token"))
    for value in headers.getlist("authorization"):
        scheme, _, credentials = value.partition(" ")
        if scheme.lower() == "bearer":
            presented.add(credentials.strip())
    if len(presented) != 1:
        raise RunTokenInvalidError
    return presented.pop()


def read_actor(headers: Headers) -> str | None:
    labels = headers.getlist("x-pipelines-actor-id")
    if not labels:
        return None
    if len(labels) > 1 or not _ACTOR.fullmatch(labels[0]):
        raise ActorIdInvalidError
    return labels[0]
