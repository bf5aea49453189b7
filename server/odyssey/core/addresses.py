"""Which addresses Odyssey may connect to: checked when a URL is saved and again when a connection is made.

The text of a host proves nothing, so the rule looks at the address it stands for: `0x7f.1` is 127.0.0.1,
and a name is whatever it resolves to at that moment.
"""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Protocol

from yarl import URL

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses a name has now; raises OSError when it has none."""

MAX_URL_LENGTH = 4096
SAVE_RESOLVE_TIMEOUT_S = 2.0

_SETTING = "ODYSSEY_OUTBOUND_ALLOW"
_LOOPBACK = (IPv4Network("127.0.0.0/8"), IPv6Network("::1/128"))

_METADATA_NAMES = frozenset({"metadata.google.internal", "metadata.goog", "instance-data.ec2.internal"})
_METADATA_ADDRESSES = frozenset(
    map(
        ip_address,
        (
            "169.254.169.254",
            "169.254.170.2",
            "169.254.170.23",
            "169.254.0.23",
            "168.63.129.16",  # Azure's wire server looks public
            "100.100.100.200",
            "192.0.0.192",
            "fd00:ec2::254",
            "fd00:ec2::23",
            "fd20:ce::254",
            "fe80::a9fe:a9fe",
        ),
    )
)

# Special-purpose ranges that `is_global` of this Python takes for public.
_SPECIAL: tuple[Network, ...] = (
    IPv4Network("192.0.0.0/24"),
    IPv4Network("192.88.99.0/24"),
    IPv6Network("2001::/23"),
    IPv6Network("3fff::/20"),
)
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_TEREDO = IPv6Network("2001::/32")
_IPV4_IN_LAST_BITS = (
    IPv6Network("::/96"),
    IPv6Network("::ffff:0:0/96"),
    IPv6Network("::ffff:0:0:0/96"),
    _NAT64,
    IPv6Network("64:ff9b:1::/48"),
)
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})
_LOW_32 = 0xFFFF_FFFF

_KEPT = 1024  # what a URL says and what an address is stay so, and every call asks again
_LONGEST_KEPT = 1000  # a query can be as long as the arguments of a call

_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f\\]")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMBER_LABEL = re.compile(r"[0-9]+|0x[0-9a-f]*")
_PORT = re.compile(r"[0-9]{0,5}")
# A path without dot segments and a query, in the characters of RFC 3986 and no others.
_ENCODED = re.compile(
    r"""
    (?P<path> (?: / (?! (?:\.|%2[Ee]){1,2} (?:[/?]|\Z) ) (?: [A-Za-z0-9._~!$&'()*+,;=:@-] | %[0-9A-Fa-f]{2} )* )* )
    (?: \? (?P<query> (?: [A-Za-z0-9._~!$&'()*+,;=:@/?-] | %[0-9A-Fa-f]{2} )* ) )?
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Target:
    """Where a URL points, read once and by the parser that also sends the request."""

    url: URL
    scheme: str
    host: str
    port: int
    literal: Address | None
    """The address itself when the host is one, in whatever spelling."""

    @property
    def where(self) -> str:
        return where(self.host, self.port)


@dataclass(frozen=True, slots=True)
class AllowEntry:
    """One thing the operator lists: a host name or a network, on one port or on all."""

    host: str | None
    network: Network | None
    port: int | None

    def matches(self, host: str, port: int, address: Address | None) -> bool:
        if self.port is not None and self.port != port:
            return False
        if self.network is None:
            return self.host == host
        return address is not None and address.version == self.network.version and address in self.network


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """Public addresses over https, what the operator lists, and this machine when it is told so."""

    allow: tuple[AllowEntry, ...] = ()
    allow_loopback: bool = False
    closed: str = ""
    """A sentence on why this machine is not allowed where it might have been expected to be.

    It stands below every address that is not public: below those of this machine alone it would tell what a name
    resolves to.
    """

    async def now(self) -> "AddressPolicy":
        """Be a policy that stays as it is: see `AddressRules`."""
        return self

    def refusal(self, scheme: str, host: str, port: int, address: str | Address) -> str | None:
        """Why connecting to this resolved address is refused, or None.

        The sentence names host and port as the user gave them and never the address behind a name.
        """
        name, place = _plain_name(host), where(host, port)
        parsed = _read_address(address)
        if parsed is None:
            return f"{place} is an IPv6 address with a zone, which means something on one machine only."
        if any(entry.matches(name, port, parsed) for entry in self.allow):
            return None
        if self.allow_loopback and is_loopback(parsed):
            return None
        if name in _METADATA_NAMES or parsed in _METADATA_ADDRESSES:
            return f"{place} is a cloud metadata service, which Odyssey does not connect to."
        if not is_public(parsed):
            sentence = f"{place} is not a public address; an operator can list it in {_SETTING}."
            return f"{sentence} {self.closed}" if self.closed else sentence
        if scheme != "https":
            return f"{place} must be reached over https; http is for addresses listed in {_SETTING}."
        return None

    def refusal_unresolved(self, scheme: str, host: str, port: int) -> str | None:
        """Why a name that does not resolve right now is refused all the same, or None."""
        name, place = _plain_name(host), where(host, port)
        if any(entry.matches(name, port, None) for entry in self.allow):
            return None
        if name == "localhost" or name.endswith(".localhost"):
            return self.refusal(scheme, host, port, "127.0.0.1")
        if name in _METADATA_NAMES:
            return f"{place} is a cloud metadata service, which Odyssey does not connect to."
        may_be_listed = any(entry.network is not None for entry in self.allow)
        if scheme != "https" and not may_be_listed:
            return f"{place} must be reached over https; http is for addresses listed in {_SETTING}."
        return None


class AddressRules(Protocol):
    """Where the policy of the moment comes from; every connection asks for it."""

    async def now(self) -> AddressPolicy: ...


def parse_allow_list(text: str) -> tuple[AllowEntry, ...]:
    """Read `ODYSSEY_OUTBOUND_ALLOW`: a comma list of `host`, `host:port`, addresses and CIDR networks."""
    return tuple(_read_entry(item.strip()) for item in text.split(",") if item.strip())


async def check_url_at_save(
    url: str,
    policy: AddressPolicy,
    *,
    resolve: Resolve | None = None,
    timeout_s: float = SAVE_RESOLVE_TIMEOUT_S,
) -> str | None:
    """Why this URL cannot be saved, as a sentence, or None.

    A name that does not resolve now is accepted: it is checked again at every connection.
    """
    try:
        target = read_target(url)
    except ValueError as error:
        return str(error)
    addresses: Sequence[str | Address]
    if target.literal is not None:
        addresses = [target.literal]
    else:
        try:
            async with asyncio.timeout(timeout_s):
                addresses = await (resolve or system_resolve)(target.host, target.port)
        except OSError:  # TimeoutError is one too
            return policy.refusal_unresolved(target.scheme, target.host, target.port)
    refusals = (policy.refusal(target.scheme, target.host, target.port, address) for address in addresses)
    return next((refusal for refusal in refusals if refusal is not None), None)


def read_target(url: str) -> Target:
    """Take a URL apart; raises ValueError with a sentence for whoever wrote it."""
    return _read_target(url) if len(url) <= _LONGEST_KEPT else _read_target.__wrapped__(url)


@lru_cache(_KEPT)
def _read_target(url: str) -> Target:
    authority = _read_authority(url)
    try:
        parsed = URL(url)
        port, raw_host = parsed.port, parsed.raw_host
    except ValueError:
        raise ValueError("The URL is malformed; write it like https://agent.example.com/dispatch.") from None
    if not raw_host or port is None:
        raise ValueError("The URL has no host; write it like https://agent.example.com/dispatch.")
    if "%" in raw_host:
        raise ValueError("The host of the URL must not contain %; zones and encoded characters are refused.")
    literal = _read_literal(raw_host, bracketed=authority.startswith("["))
    # One spelling from here on: what is checked is what is connected to.
    host = raw_host if literal is None else str(literal)
    place = parsed if literal is None else parsed.with_host(host)
    return Target(_as_written(place, url, authority), parsed.scheme, host, port, literal)


def origin_of(url: str) -> str:
    """Scheme, host and port in one spelling: what a secret is bound to. Raises ValueError as `read_target` does."""
    target = read_target(url)
    return f"{target.scheme}://{target.where.lower()}"


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """All addresses of a name, as the machine's resolver has them now; a zone stays visible as `%`."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses: list[str] = []
    for family, _, _, _, place in found:
        if family == socket.AF_INET6 and len(place) == 4 and place[3] and "%" not in place[0]:
            addresses.append(f"{place[0]}%{place[3]}")
        elif family in (socket.AF_INET, socket.AF_INET6):
            addresses.append(str(place[0]))
    return list(dict.fromkeys(addresses))


@lru_cache(_KEPT)
def is_loopback(address: Address) -> bool:
    return any(address.version == network.version and address in network for network in _LOOPBACK)


@lru_cache(_KEPT)
def is_public(address: Address) -> bool:
    """Reachable for everybody on the internet, itself and every IPv4 address embedded in it."""
    if address in _METADATA_ADDRESSES:
        return False
    if isinstance(address, IPv6Address):
        if not all(is_public(inner) for inner in embedded_ipv4(address)):
            return False
        if address in _NAT64:  # how an IPv6-only network reaches public IPv4 hosts
            return True
        if address not in _GLOBAL_UNICAST:
            return False
    if not address.is_global or address.is_multicast or address.is_reserved or address.is_unspecified:
        return False
    return not any(address.version == network.version and address in network for network in _SPECIAL)


def embedded_ipv4(address: IPv6Address) -> Iterator[IPv4Address]:
    """Every IPv4 address that some translation or tunnel would take this address for."""
    bits = int(address)
    if any(address in network for network in _IPV4_IN_LAST_BITS) or (bits >> 32) & _LOW_32 in _ISATAP:
        yield IPv4Address(bits & _LOW_32)
    if address in _SIX_TO_FOUR:
        yield IPv4Address((bits >> 80) & _LOW_32)
    if address in _TEREDO:
        yield IPv4Address((bits >> 64) & _LOW_32)
        yield IPv4Address(~bits & _LOW_32)


def where(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _read_authority(url: str) -> str:
    if len(url) > MAX_URL_LENGTH:
        raise ValueError(f"The URL is longer than {MAX_URL_LENGTH} characters.")
    if _UNPRINTABLE.search(url):
        raise ValueError("The URL must not contain spaces, control characters or backslashes.")
    scheme, separator, rest = url.partition("://")
    if not separator or scheme.lower() not in ("http", "https"):
        raise ValueError("The URL must start with https:// (or http:// for a listed address).")
    if "#" in rest:
        raise ValueError("The URL must not have a fragment (#…).")
    authority = re.split(r"[/?]", rest, maxsplit=1)[0]
    if "@" in authority:
        raise ValueError("The URL must not carry a user name or password; use the auth header for secrets.")
    port = authority.rpartition("]")[2].partition(":")[2]
    if not _PORT.fullmatch(port) or (port and not 1 <= int(port) <= 65535):
        raise ValueError("The port of the URL must be between 1 and 65535.")
    return authority


def _as_written(parsed: URL, url: str, authority: str) -> URL:
    """The URL with path and query as its writer encoded them: `%2C` and `,` are not the same to every service."""
    tail = url.partition("://")[2][len(authority) :]
    encoded = _ENCODED.fullmatch(tail)
    if encoded is None:
        return parsed
    return URL.build(
        scheme=parsed.scheme,
        authority=parsed.raw_authority,
        path=encoded["path"] or "/",
        query_string=encoded["query"] or "",
        encoded=True,
    )


def _read_literal(host: str, *, bracketed: bool) -> Address | None:
    """The address a host spells out, None for a name; raises ValueError for neither."""
    if bracketed or ":" in host:
        try:
            return IPv6Address(host)
        except ValueError:
            raise ValueError(f"[{host[:80]}] is not an IPv6 address.") from None
    labels = _plain_name(host).split(".")
    if _NUMBER_LABEL.fullmatch(labels[-1]):
        try:
            # inet_aton knows every spelling getaddrinfo does (octal, hexadecimal, short) and asks no server.
            return IPv4Address(socket.inet_aton(".".join(labels)))
        except (OSError, ValueError):
            raise ValueError(f"{host[:80]!r} is neither an IPv4 address nor a host name.") from None
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise ValueError(f"{host[:80]!r} is not a host name.")
    return None


@lru_cache(_KEPT)
def _read_address(address: str | Address) -> Address | None:
    """None for an address with a zone, or for none at all: neither may be connected to."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return None
    return None if isinstance(parsed, IPv6Address) and parsed.scope_id is not None else parsed


def _read_entry(item: str) -> AllowEntry:
    if "://" in item:
        raise ValueError(f"{_SETTING}: {item!r} is a URL; write host, host:port, an address or a network.")
    if "/" in item:
        try:
            return AllowEntry(None, ip_network(item), None)
        except ValueError as error:
            raise ValueError(f"{_SETTING}: {item!r} is not a network like 10.0.0.0/8: {error}") from None
    if re.search(r"[?#*]", item):
        raise ValueError(f"{_SETTING}: {item!r} is not a host, host:port, address or network.")
    bare_ipv6 = item.count(":") > 1 and not item.startswith("[")
    try:
        target = read_target(f"http://{f'[{item}]' if bare_ipv6 else item}/")
    except ValueError as error:
        reason = str(error).replace("The host of the URL", "It").replace("of the URL ", "")
        raise ValueError(
            f"{_SETTING}: {item!r} is not a host, host:port, address or network. {reason}"
        ) from None
    network = None if target.literal is None else ip_network(target.literal)
    host = _plain_name(target.host) if network is None else None
    return AllowEntry(host, network, target.url.explicit_port)


def _plain_name(host: str) -> str:
    return host.lower().removesuffix(".")
