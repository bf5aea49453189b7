"""Why an expression has no value: said to people, short, without a stack."""


class EvaluationError(Exception):
    """The expression cannot be evaluated on these facts."""


class TooMuchError(EvaluationError):
    """The expressions of one call would take too long or hold too much; nothing in an expression absorbs this."""
