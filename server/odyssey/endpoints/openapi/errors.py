"""Why a text cannot be the description of an endpoint."""


class DocumentInvalidError(Exception):
    """The document is refused as a whole; the message says why and what to do about it.

    openapi_invalid        it is no JSON or YAML, or no OpenAPI document
    openapi_version        it is of a version other than 3.0 and 3.1
    openapi_too_large      it is over the size Odyssey reads
    openapi_external_ref   it refers to another document, and Odyssey fetches none
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
