"""What can be wrong with an uploaded dataset."""

from odyssey.core.errors import BodyTooLargeError, ValidationFailedError
from odyssey.library.datasets.columns import MAX_BYTES, MAX_ROWS


class CsvInvalidError(ValidationFailedError):
    code, title = "csv_invalid", "The table is not valid"


class CsvTooLargeError(BodyTooLargeError):
    code, title = "csv_too_large", "The table is too large"

    def __init__(self) -> None:
        super().__init__(
            f"A dataset has at most {MAX_ROWS} rows and {MAX_BYTES} bytes; split it into several datasets."
        )
