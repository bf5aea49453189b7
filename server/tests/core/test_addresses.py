"""No spelling of a forbidden address gets through, and every spelling of a public one does."""

import asyncio
import socket
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.core.addresses import (
    AddressPolicy,
    AllowEntry,
    Resolve,
    check_url_at_save,
    is_public,
    parse_allow_list,
    read_target,
    system_resolve,
)

STRICT = AddressPolicy()

PUBLIC = [
    "8.8.8.8",
    "1.1.1.1",
    "93.184.216.34",
    "172.15.255.255",
    "172.32.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "169.253.0.1",
    "223.255.255.255",
    "2001:4860:4860::8888",
    "2606:2800:220:1:248:1893:25c8:1946",
    "2a00:1450:4001:81b::200e",
    "2002:808:808::1",
    "64:ff9b::8.8.8.8",
]

FORBIDDEN = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.0.23",
    "169.254.169.254",
    "169.254.170.2",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.0.9",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:10.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:127.0.0.1",
    "::ffff:0:169.254.169.254",
    "64:ff9b::127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::168.63.129.16",
    "64:ff9b:1::10.0.0.1",
    "64:ff9b:1::8.8.8.8",
    "100::1",
    "2001::1",
    "2001:0:a00:1::1",
    "2001:0:808:808::f5ff:fffe",
    "2001:20::1",
    "2001:db8::1",
    "2001:4860::5efe:10.0.0.1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "2002:c0a8:101::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fd12:3456:789a::1",
    "fe80::1",
    "fe80::a9fe:a9fe",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
]


def answering(*addresses: str) -> Resolve:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return addresses

    return resolve


async def unresolvable(host: str, port: int) -> Sequence[str]:
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


async def must_not_be_asked(host: str, port: int) -> Sequence[str]:
    raise AssertionError(f"a resolver was asked for {host!r}")


def check(url: str, policy: AddressPolicy = STRICT, resolve: Resolve = must_not_be_asked) -> str | None:
    return asyncio.run(check_url_at_save(url, policy, resolve=resolve))


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_reached_over_https_only(address: str) -> None:
    assert STRICT.refusal("https", "agent.example.com", 443, address) is None
    refusal = STRICT.refusal("http", "agent.example.com", 80, address)
    assert refusal is not None
    assert "https" in refusal


@pytest.mark.parametrize("address", FORBIDDEN)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_every_other_address_is_refused_and_not_named(address: str, scheme: str) -> None:
    refusal = STRICT.refusal(scheme, "agent.example.com", 8443, address)
    assert refusal is not None
    assert "agent.example.com:8443" in refusal
    assert address not in refusal


@pytest.mark.parametrize(
    "address", ["fe80::1%eth0", "2001:4860:4860::8888%2", "::1%lo", "not an address", ""]
)
def test_a_zone_is_refused_even_when_everything_is_listed(address: str) -> None:
    policy = AddressPolicy(parse_allow_list("agent.example.com, ::/0, 0.0.0.0/0"), allow_loopback=True)
    assert policy.refusal("https", "agent.example.com", 443, address) is not None


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.9.10", "::1"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_loopback_is_this_machine_only_when_told_so(address: str, scheme: str) -> None:
    assert AddressPolicy(allow_loopback=True).refusal(scheme, "localhost", 80, address) is None
    assert STRICT.refusal(scheme, "localhost", 80, address) is not None


@pytest.mark.parametrize(
    "address", ["0.0.0.0", "::", "10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1"]
)
def test_allowing_loopback_opens_nothing_else(address: str) -> None:
    assert AddressPolicy(allow_loopback=True).refusal("http", "agent", 80, address) is not None


EMBEDDINGS = {
    "mapped": lambda bits: 0xFFFF << 32 | bits,
    "compatible": lambda bits: bits,
    "translated": lambda bits: 0xFFFF << 48 | bits,
    "nat64": lambda bits: 0x64FF9B << 96 | bits,
    "nat64 local": lambda bits: 0x64FF9B0001 << 80 | bits,
    "6to4": lambda bits: 0x2002 << 112 | bits << 80 | 1,
    "teredo server": lambda bits: 0x20010000 << 96 | bits << 64 | (~0x08080808 & 0xFFFFFFFF),
    "teredo client": lambda bits: 0x20010000 << 96 | 0x08080808 << 64 | (~bits & 0xFFFFFFFF),
    "isatap": lambda bits: 0x20014860 << 96 | 0x5EFE << 32 | bits,
}

private_ipv4 = st.sampled_from(
    ["10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16", "0.0.0.0/8"]
).flatmap(lambda network: st.ip_addresses(v=4, network=network))


@given(address=private_ipv4, form=st.sampled_from(sorted(EMBEDDINGS)))
def test_a_private_ipv4_stays_private_however_it_is_wrapped(address: IPv4Address, form: str) -> None:
    assert not is_public(IPv6Address(EMBEDDINGS[form](int(address))))


@given(address=st.ip_addresses(v=4), form=st.sampled_from(["nat64", "6to4"]))
def test_a_wrapped_ipv4_is_as_public_as_itself(address: IPv4Address, form: str) -> None:
    assert is_public(IPv6Address(EMBEDDINGS[form](int(address)))) == is_public(address)


@given(address=st.ip_addresses())
def test_what_is_public_is_at_least_global_to_python(address: IPv4Address | IPv6Address) -> None:
    if is_public(address):
        assert address.is_global
        assert not address.is_multicast
        assert not address.is_link_local
        assert not address.is_loopback


@given(address=st.ip_addresses(v=4))
def test_every_spelling_of_an_ipv4_is_that_ipv4(address: IPv4Address) -> None:
    number = int(address)
    a, b, c, d = address.packed
    spellings = [
        str(address),
        str(number),
        hex(number),
        f"{a}.{number & 0xFFFFFF}",
        f"{a}.{b}.{number & 0xFFFF}",
        f"0x{a:x}.0{b:o}.{c}.{d:#x}",
        f"{address}.",
        "".join(chr(ord("０") + int(sign)) if sign.isdigit() else sign for sign in str(address)),
        str(address).replace(".", "。"),
    ]
    for spelling in spellings:
        target = read_target(f"https://{spelling}/x")
        assert target.literal == address, spelling
        assert target.url.raw_host == str(address), spelling


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:5432/",
        "http://[::1]/",
        "http://[::ffff:169.254.169.254]/",
        "http://0/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://100.100.100.200/",
        "https://127.1/",
        "https://0177.0.0.1/",
        "https://0x7f000001/",
        "https://①②⑦.⓪.⓪.①/",
        "https://127。0。0。1/",
        "https://127.0.0.1./",
        "https://168.63.129.16/",
        "https://[fe80::1%25eth0]/",
        "https://[fe80::1%eth0]/",
        "https://[0:0:0:0:0:0:0:1]/",
        "https://[fd00:ec2::254]/latest/meta-data",
        "https://127%2e0.0.1/",
        "https://%31%32%37.0.0.1/",
        "http://8.8.8.8/",
    ],
)
def test_numeric_hosts_are_judged_without_asking_a_resolver(url: str) -> None:
    assert check(url) is not None


@pytest.mark.parametrize(
    "url",
    [
        "",
        "agent.example.com",
        "//agent.example.com/x",
        "https:agent.example.com",
        "https:///dispatch",
        "https://",
        "https://:443/",
        "file:///etc/passwd",
        "gopher://x",
        "ftp://example.com/",
        "ws://example.com/",
        "javascript://example.com/%0aalert(1)",
        "https://u:p@example.com/",
        "https://u@example.com/",
        "https://@example.com/",
        "https://example.com\\@127.0.0.1/",
        "https://exa mple.com/",
        "https://example.com/\r\nHost: x",
        "https://example.com\t/",
        " https://example.com/",
        "https://example.com:0/",
        "https://example.com:65536/",
        "https://example.com:99999/",
        "https://example.com:-1/",
        "https://example.com:+80/",
        "https://example.com:80:90/",
        "https://example.com:８０/",
        "https://example.com:http/",
        "https://example.com/#fragment",
        "https://example.com/#",
        "https://example..com/",
        "https://.example.com/",
        "https://-example.com/",
        "https://" + "a" * 64 + ".com/",
        "https://" + "a." * 130 + "com/",
        "https://example.com%00.evil.com/",
        "https://256.1.1.1/",
        "https://1.2.3.4.5/",
        "https://example.1/",
        "https://[::1/",
        "https://[::1]x/",
        "https://[v1.x]/",
        "https://[127.0.0.1]/",
        "https://example.com/" + "a" * 5000,
        "https://exa\ud800mple.com/",
    ],
)
def test_what_is_no_plain_http_url_is_refused_in_a_sentence(url: str) -> None:
    refusal = check(url, AddressPolicy(parse_allow_list("0.0.0.0/0, ::/0"), allow_loopback=True))
    assert refusal is not None
    assert refusal.endswith(".")


@given(
    host=st.sampled_from(
        ["agent.example.com", "Agent.Example.com.", "bücher.example", "127.1", "[::1]", "0x7f.1"]
    ),
    port=st.sampled_from(["", ":", ":443", ":8443"]),
    tail=st.text("/?.:@%2Ee,a[]{};=&é", max_size=30),
)
def test_what_follows_the_host_does_not_change_where_a_url_points(host: str, port: str, tail: str) -> None:
    alone = read_target(f"https://{host}{port}/")
    if not tail.startswith(("/", "?")):
        tail = f"/{tail}"
    target = read_target(f"https://{host}{port}{tail}")
    assert (target.host, target.port, target.literal) == (alone.host, alone.port, alone.literal)
    assert (target.url.scheme, target.url.raw_host, target.url.port) == ("https", target.host, target.port)
    assert target.url.raw_path.isascii()
    assert target.url.raw_user is target.url.raw_password is None


@pytest.mark.parametrize(
    "url",
    [
        "https://agent.example.com/dispatch",
        "HTTPS://Agent.Example.COM:8443/a/b?c=d",
        "https://agent.example.com./",
        "https://agent_1.example.com",
        "https://bücher.example/x y".replace(" ", "%20"),
        "https://xn--bcher-kva.example/",
    ],
)
def test_a_public_name_is_accepted(url: str) -> None:
    assert check(url, resolve=answering("93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946")) is None


@pytest.mark.parametrize(
    "addresses", [("10.0.0.1",), ("93.184.216.34", "127.0.0.1"), ("::1", "93.184.216.34"), ("fe80::1%2",)]
)
def test_one_private_address_among_several_refuses_the_name(addresses: tuple[str, ...]) -> None:
    assert check("https://agent.example.com/", resolve=answering(*addresses)) is not None


def test_a_name_that_does_not_resolve_is_accepted_at_save() -> None:
    assert check("https://not-yet.example.com/", resolve=unresolvable) is None


def test_a_resolver_that_hangs_does_not_hold_up_the_save() -> None:
    async def hanging(host: str, port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    async def save() -> str | None:
        return await check_url_at_save("https://slow.example.com/", STRICT, resolve=hanging, timeout_s=0.05)

    assert asyncio.run(save()) is None


@pytest.mark.parametrize(
    "url",
    [
        "http://not-yet.example.com/",
        "https://localhost/",
        "https://agent.localhost/",
        "https://LOCALHOST./",
        "https://metadata.google.internal/",
        "https://Metadata.Google.Internal./",
    ],
)
def test_some_names_are_refused_without_an_address(url: str) -> None:
    assert check(url, resolve=unresolvable) is not None


def test_an_unresolvable_http_name_waits_for_its_address_when_networks_are_listed() -> None:
    assert check("http://agent/", AddressPolicy(parse_allow_list("10.0.0.0/8")), unresolvable) is None
    assert check("http://agent/", AddressPolicy(parse_allow_list("agent")), unresolvable) is None
    assert check("http://agent/", AddressPolicy(parse_allow_list("agent:81")), unresolvable) is not None
    assert check("http://agent.localhost/", AddressPolicy(allow_loopback=True), unresolvable) is None


def test_the_metadata_name_is_refused_wherever_it_points() -> None:
    assert STRICT.refusal("https", "metadata.google.internal", 443, "8.8.8.8") is not None


def test_localhost_is_what_the_machine_says_it_is() -> None:
    addresses = asyncio.run(system_resolve("localhost", 80))
    assert set(addresses) <= {"127.0.0.1", "::1"}
    assert addresses
    assert asyncio.run(check_url_at_save("http://localhost:8000/", STRICT)) is not None
    assert (
        asyncio.run(check_url_at_save("http://localhost:8000/", AddressPolicy(allow_loopback=True))) is None
    )


@pytest.mark.parametrize(
    ("listed", "scheme", "host", "port", "address", "allowed"),
    [
        ("agent", "http", "agent", 8000, "10.0.0.5", True),
        ("agent", "http", "AGENT.", 8000, "10.0.0.5", True),
        ("agent:8000", "http", "agent", 8000, "10.0.0.5", True),
        ("agent:8000", "http", "agent", 8001, "10.0.0.5", False),
        ("agent", "http", "agent.evil.com", 80, "10.0.0.5", False),
        ("agent", "http", "notagent", 80, "10.0.0.5", False),
        ("Bücher.example", "http", "xn--bcher-kva.example", 80, "10.0.0.5", True),
        ("10.0.0.5", "http", "agent", 80, "10.0.0.5", True),
        ("10.0.0.5", "http", "agent", 80, "10.0.0.6", False),
        ("10.0.0.5:80", "http", "agent", 80, "10.0.0.5", True),
        ("10.0.0.5:80", "http", "agent", 81, "10.0.0.5", False),
        ("10.0.0.0/8", "http", "agent", 81, "10.200.0.5", True),
        ("10.0.0.0/8", "https", "agent", 81, "11.0.0.1", True),
        ("10.0.0.0/8", "http", "agent", 81, "11.0.0.1", False),
        ("10.0.0.0/8", "http", "agent", 81, "::ffff:10.0.0.1", False),
        ("[::1]:80", "http", "x", 80, "::1", True),
        ("[::1]:80", "http", "x", 81, "::1", False),
        ("::1", "http", "x", 81, "::1", True),
        ("[fd00::5]", "http", "x", 81, "fd00::5", True),
        ("fd00::/8", "http", "x", 81, "fd12::1", True),
        ("fd00::/8", "http", "x", 81, "fe80::1", False),
        ("169.254.169.254", "http", "x", 80, "169.254.169.254", True),
        ("169.254.0.0/16", "http", "x", 80, "169.254.169.254", True),
        ("metadata.google.internal", "http", "metadata.google.internal", 80, "169.254.169.254", True),
        ("10.0.0.0/8", "https", "x", 443, "168.63.129.16", False),
    ],
)
def test_the_list_opens_exactly_what_it_names(
    listed: str, scheme: str, host: str, port: int, address: str, *, allowed: bool
) -> None:
    refusal = AddressPolicy(parse_allow_list(listed)).refusal(scheme, host, port, address)
    assert (refusal is None) == allowed


def test_a_list_is_read_with_blanks_and_empty_items() -> None:
    entries = parse_allow_list(" agent , 10.0.0.5:8080,, fd00::/8 ,")
    assert [(entry.host, str(entry.network), entry.port) for entry in entries] == [
        ("agent", "None", None),
        (None, "10.0.0.5/32", 8080),
        (None, "fd00::/8", None),
    ]
    assert parse_allow_list("") == ()
    assert parse_allow_list("agent:80") == (AllowEntry("agent", None, 80),)


@pytest.mark.parametrize(
    "listed",
    [
        "http://agent:8000",
        "agent/path",
        "10.0.0.0/33",
        "10.0.0.1/8",
        "agent:0",
        "agent:70000",
        "agent:x",
        "*",
        "*.example.com",
        "user@agent",
        "two words",
        "[::1",
        "fe80::1%eth0",
        "1.2.3.4.5",
        "agent?x",
        "agent#x",
        "-agent",
    ],
)
def test_nonsense_in_the_list_is_named(listed: str) -> None:
    with pytest.raises(ValueError, match="ODYSSEY_OUTBOUND_ALLOW") as caught:
        parse_allow_list(f"fine, {listed}")
    assert repr(listed) in str(caught.value)


@given(st.text(max_size=60))
def test_no_text_makes_the_checker_fall_over(text: str) -> None:
    for url in (text, f"https://{text}", f"https://{text}/", f"http://[{text}]:80/"):
        refusal = check(url, resolve=unresolvable)
        assert refusal is None or refusal.endswith(".")
