"""A function of an expression: its name, how many arguments it takes, and what it may give back."""

from collections.abc import Callable
from typing import Any, NamedTuple

from odyssey.expressions.facts import Facts
from odyssey.expressions.values import (
    MAX_TEXT,
    EvaluationError,
    TooMuchError,
    described,
    is_list,
    is_map,
    is_number,
)

MAX_LIST = 1000
"""No function gives a longer list."""


class Function(NamedTuple):
    name: str
    least: int
    most: int
    run: Callable[..., Any]
    """Takes the facts and the arguments; raises EvaluationError without the function's name."""
    looks_inside: bool = True
    """Whether it goes through what it is given."""

    def call(self, facts: Facts, arguments: list[Any]) -> Any:
        for argument in arguments if self.looks_inside else ():
            if type(argument) is str:
                facts.meter.spend_characters(len(argument))
            elif is_list(argument) or is_map(argument):
                # Longer ones are refused by all functions that go through them.
                facts.meter.spend(1 + min(len(argument), MAX_LIST))
        try:
            result = self.run(facts, *arguments)
        except EvaluationError as error:
            raise type(error)(f"{self.name}: {error}") from None
        if type(result) is list and len(result) > MAX_LIST:
            raise TooMuchError(f"{self.name} would give {len(result)} elements; a function gives {MAX_LIST}")
        if type(result) is str and len(result) > MAX_TEXT:
            raise TooMuchError(f"{self.name} would give a text of more than {MAX_TEXT} characters")
        return result

    def takes(self) -> str:
        count = f"{self.least}" if self.least == self.most else f"{self.least} to {self.most}"
        return f"{count} argument{'' if count == '1' else 's'}"


def a_list(value: Any) -> list[Any]:
    if not is_list(value):
        raise EvaluationError(f"takes a list, not {described(value)}")
    if len(value) > MAX_LIST:
        raise TooMuchError(f"takes a list of at most {MAX_LIST} elements, not of {len(value)}")
    return list(value)


def a_map(value: Any) -> Any:
    if not is_map(value):
        raise EvaluationError(f"takes a map, not {described(value)}")
    if len(value) > MAX_LIST:
        raise TooMuchError(f"takes a map of at most {MAX_LIST} members, not of {len(value)}")
    return value


def a_text(value: Any) -> str:
    if type(value) is not str:
        raise EvaluationError(f"takes a text, not {described(value)}")
    return value


def a_number(value: Any) -> Any:
    if not is_number(value):
        raise EvaluationError(f"takes a number, not {described(value)}")
    return value


def a_whole_number(value: Any) -> int:
    if not is_number(value) or value != value // 1:
        raise EvaluationError(f"takes a whole number, not {described(value)}")
    return int(value)
