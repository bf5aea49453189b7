"""Runnables made of others, as `|`, `with_fallbacks`, `with_retry` and their like make them, copied part by part."""

from collections.abc import Callable
from typing import Any

from langchain_core.runnables import (
    Runnable,
    RunnableBranch,
    RunnableParallel,
    RunnableSequence,
    RunnableWithFallbacks,
)
from langchain_core.runnables.base import RunnableBindingBase, RunnableEachBase
from langchain_core.runnables.passthrough import RunnableAssign

MADE_OF_OTHERS = (
    RunnableAssign,
    RunnableBindingBase,  # with_config, with_retry, bind
    RunnableBranch,
    RunnableEachBase,
    RunnableParallel,
    RunnableSequence,
    RunnableWithFallbacks,
)
"""Never asked for an attribute by name: some answer for the runnable inside, and evaluate its annotations for that."""


def rebuilt(value: Any, replace: Callable[[Any], Any]) -> Any:
    """Copy a runnable made of others with each part replaced; itself if none was, or if it is made of none."""
    if not isinstance(value, MADE_OF_OTHERS):
        return value
    parts = {name: getattr(value, name) for name in type(value).model_fields}
    changed = {name: new for name, part in parts.items() if (new := _part(part, replace)) is not part}
    return value.model_copy(update=changed) if changed else value


def _part(part: Any, replace: Callable[[Any], Any]) -> Any:
    if isinstance(part, Runnable):
        return replace(part)
    if isinstance(part, list | tuple):
        items = [_part(item, replace) for item in part]
        is_same = all(new is old for new, old in zip(items, part, strict=True))
        return part if is_same else type(part)(items)
    if isinstance(part, dict):
        values = {name: _part(item, replace) for name, item in part.items()}
        return part if all(values[name] is item for name, item in part.items()) else values
    return part
