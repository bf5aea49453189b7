"""Functions that name agents or tools: copies that name others in their place, the originals left alone."""

import copy
import dis
import functools
from collections.abc import Callable
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

Replace = Callable[[str, Any], Any]
"""Gives for a name and its value the value to use: the same object where nothing changes."""


def rebound(function: Any, replace: Replace) -> Any:
    """Copy a function with what it names from outside replaced; itself if nothing was.

    Followed are its closure, its globals, and functions of its own module and tasks that it names.
    """
    return _rebound(function, replace, {})


def _rebound(function: Any, replace: Replace, done: dict[int, Any]) -> Any:
    if isinstance(function, functools.partial):
        return _rebound_partial(function, replace, done)
    if isinstance(function, MethodType):
        plain = _rebound(function.__func__, replace, done)
        return function if plain is function.__func__ else MethodType(plain, function.__self__)
    if not isinstance(function, FunctionType):
        return function
    if id(function) not in done:
        done[id(function)] = function  # for those that name themselves
        done[id(function)] = _rebound_function(function, replace, done)
    return done[id(function)]


def _rebound_function(function: FunctionType, replace: Replace, done: dict[int, Any]) -> FunctionType:
    around = function.__globals__

    def new(name: str, value: Any) -> Any:
        found = replace(name, value)
        if found is not value:
            return found
        if isinstance(value, FunctionType) and value.__globals__ is around:
            return _rebound(value, replace, done)
        if isinstance(getattr(value, "__wrapped__", None), FunctionType) and hasattr(value, "func"):
            return _rebound_task(value, replace, done)
        return value

    cells = _cells(function, new)
    names = {name: around[name] for name in _names(function.__code__) if name in around}
    changed = {name: found for name, value in names.items() if (found := new(name, value)) is not value}
    if not changed and all(cell is old for cell, old in zip(cells, function.__closure__ or (), strict=True)):
        return function
    return _copied(function, {**around, **changed} if changed else around, cells)


def _rebound_partial(function: functools.partial[Any], replace: Replace, done: dict[int, Any]) -> Any:
    parts = (function.func, *function.args)
    new = [_rebound(part, replace, done) for part in parts]
    if all(one is other for one, other in zip(new, parts, strict=True)):
        return function
    return functools.partial(new[0], *new[1:], **function.keywords)


def _rebound_task(task: Any, replace: Replace, done: dict[int, Any]) -> Any:
    """Copy a task of LangGraph's functional API, which is an object around a function."""
    function = _rebound(task.func, replace, done)
    if function is task.func:
        return task
    copied = copy.copy(task)
    copied.func = copied.__wrapped__ = function
    return copied


def _cells(function: FunctionType, new: Replace) -> tuple[CellType, ...]:
    cells = []
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            value = cell.cell_contents
        except ValueError:  # the name is not bound yet
            cells.append(cell)
            continue
        found = new(name, value)
        cells.append(cell if found is value else CellType(found))
    return tuple(cells)


def _names(code: CodeType) -> set[str]:
    """Name the globals that a function and those written inside it read."""
    read = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    inner = (part for part in code.co_consts if isinstance(part, CodeType))
    return read.union(*(_names(part) for part in inner))


def _copied(function: FunctionType, names: dict[str, Any], cells: tuple[CellType, ...]) -> FunctionType:
    copied = FunctionType(
        function.__code__,
        names,
        function.__name__,
        function.__defaults__,
        cells or None,
    )
    for attribute in ("__kwdefaults__", "__annotations__", "__doc__", "__module__", "__qualname__"):
        setattr(copied, attribute, getattr(function, attribute))
    copied.__dict__.update(function.__dict__)
    return copied
