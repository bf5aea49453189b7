"""Lists are gone through page by page, every item once."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

Drive = Callable[..., Any]
Serving = Callable[..., Any]
Say = Callable[..., Any]


class Shelf:
    """Serves pages of the sizes it was given, or shorter ones where less is asked for."""

    def __init__(self) -> None:
        self.pages: list[list[dict[str, str]]] = []

    def fill(self, sizes: list[int]) -> None:
        numbers = iter(range(sum(sizes)))
        self.pages = [[{"id": str(next(numbers))} for _ in range(size)] for size in sizes]

    def page(self, cursor: int, limit: int) -> dict[str, Any]:
        items = self.pages[cursor][:limit]
        del self.pages[cursor][:limit]
        following = cursor if self.pages[cursor] else cursor + 1
        return {"items": items, "next_cursor": str(following) if following < len(self.pages) else None}


def test_every_item_comes_once_whatever_the_pages(drive: Drive, serving: Serving, say: Say) -> None:
    """Pages may be shorter than asked for, and even empty while there are more."""
    shelf = Shelf()

    def answer(asked: Any) -> Any:
        query = parse_qs(urlsplit(asked.path).query)
        return say(200, shelf.page(int(query.get("cursor", ["0"])[0]), int(query["limit"][0])))

    with serving(answer) as server:
        client = drive(server.url)

        @settings(max_examples=60)
        @given(
            sizes=st.lists(st.integers(0, 12), min_size=1, max_size=8), limit=st.none() | st.integers(0, 40)
        )
        def check(sizes: list[int], limit: int | None) -> None:
            shelf.fill(sizes)
            found = [int(item["id"]) for item in client._api.items("/api/keys", limit=limit)]
            assert found == list(range(sum(sizes)))[:limit]

        check()


def test_a_limit_asks_for_no_more_than_it_needs(drive: Drive, serving: Serving, say: Say) -> None:
    page = {"items": [{"id": "1"}, {"id": "2"}], "next_cursor": "c"}
    with serving(say(200, page)) as server:
        found = drive(server.url)._api.items("/api/keys", limit=3)
        assert [item["id"] for item in found] == ["1", "2", "1"]
        assert [urlsplit(asked.path).query for asked in server.asked] == ["limit=3", "cursor=c&limit=1"]


@pytest.mark.parametrize("page", [{"items": []}, {"items": {}, "next_cursor": None}, {"hello": 1}])
def test_a_page_that_is_none_is_told_apart(drive: Drive, serving: Serving, say: Say, page: Any) -> None:
    with serving(say(200, json.loads(json.dumps(page)))) as server:
        client = drive(server.url)
        with pytest.raises(Exception, match="not as Odyssey does"):
            client.runs.list()


def test_a_page_beyond_what_one_answer_holds_is_put_together(
    drive: Drive, serving: Serving, say: Say
) -> None:
    shelf = Shelf()
    shelf.fill([200, 120])

    def answer(asked: Any) -> Any:
        query = parse_qs(urlsplit(asked.path).query)
        return say(200, shelf.page(int(query.get("cursor", ["0"])[0]), int(query["limit"][0])))

    with serving(answer) as server:
        page = drive(server.url)._api.page("/api/keys", cursor=None, limit=250)
        assert [int(item["id"]) for item in page["items"]] == list(range(250))
        assert page["next_cursor"] == "1"
        assert [urlsplit(asked.path).query for asked in server.asked] == ["limit=200", "cursor=1&limit=50"]
