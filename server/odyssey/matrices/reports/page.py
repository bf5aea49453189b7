"""The shell of a page that is one file: its style stands in it by hash, and nothing else is allowed to load or run."""

from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from odyssey.matrices.reports.markup import Child, Html, element

_STYLE = Path(__file__).with_name("page.css").read_text("utf-8")
_HASH = b64encode(sha256(_STYLE.encode()).digest()).decode()

POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"
"""What the page may do, wherever it is opened: show itself."""


def page(title: str, *body: Child) -> str:
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("style", Html(_STYLE)),
    )
    return f"<!doctype html>\n{element('html', head, element('body', element('main', *body)), lang='en')}\n"


def scrolling(label: str, table: Html) -> Html:
    """Let a wide table scroll by itself, also by keyboard."""
    return element("div", table, class_="scroll", role="region", aria_label=label, tabindex=0)
