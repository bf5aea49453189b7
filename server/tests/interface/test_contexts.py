"""The browser contexts that tests share: each is lent as empty as a new one."""

from support.chromium import Contexts


def test_a_context_is_lent_without_what_others_left_in_it(contexts: Contexts) -> None:
    first = contexts.lend({"left": "behind"})
    page = first.pages[0]
    page.goto("/favicon.svg")
    first.grant_permissions(["clipboard-read"])
    page.evaluate("() => { localStorage.setItem('left', '1'); sessionStorage.setItem('left', '1') }")
    page.evaluate("() => { document.cookie = 'also=left'; caches.open('left') }")
    contexts.take_back(first)
    second = contexts.lend()
    assert second is first, "it was not kept, so this test says nothing"
    page = second.pages[0]
    page.goto("/favicon.svg")
    assert second.cookies() == []
    kept = "async () => [localStorage.length, sessionStorage.length, (await caches.keys()).length]"
    assert page.evaluate(kept) == [0, 0, 0]
    allowed = "async () => (await navigator.permissions.query({name: 'clipboard-read'})).state"
    assert page.evaluate(allowed) != "granted"
    contexts.take_back(second)
