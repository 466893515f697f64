"""Which addresses may be fetched: those of the public internet, and what a setting adds."""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit, urlunsplit

from knowledge.fetching.errors import AddressRefusedError

SCHEMES = frozenset({"http", "https"})
MAX_URL_LENGTH = 2_000

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

# All that was ever given out of IPv6 for public use; what is outside may be translated to anything.
_PUBLIC_IPV6 = ipaddress.IPv6Network("2000::/3")
# Beyond what `is_global` knows in every version of Python: shared space (metadata servers of some
# clouds live there), relays of other protocols, benchmarks, documentation.
_NEVER_PUBLIC: tuple[IPNetwork, ...] = tuple(
    ipaddress.ip_network(written)
    for written in (
        "0.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24",
        "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
        "2001:db8::/32", "3fff::/20",
    )
)  # fmt: skip
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_FORBIDDEN_IN_URL = frozenset(map(chr, range(0x21))) | {"\\", "\x7f"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressPolicy:
    """Networks and host names that may be fetched though they are not public."""

    networks: tuple[IPNetwork, ...] = ()
    hosts: frozenset[str] = frozenset()

    def allows_host(self, host: str) -> bool:
        """Tell whether this name is allowed wherever it points."""
        return host.rstrip(".").lower() in self.hosts

    def allows(self, address: IPAddress) -> bool:
        """Tell whether a connection may be made to this address."""
        return is_public(address) or any(address in network for network in self.networks)


def read_policy(allowed: Iterable[str]) -> AddressPolicy:
    """Read networks (`10.1.0.0/16`), addresses and host names of a setting."""
    networks: list[IPNetwork] = []
    hosts: set[str] = set()
    for written in allowed:
        try:
            networks.append(ipaddress.ip_network(written.strip(), strict=False))
        except ValueError:
            hosts.add(written.strip().rstrip(".").lower())
    return AddressPolicy(networks=tuple(networks), hosts=frozenset(hosts - {""}))


def is_public(address: IPAddress) -> bool:
    """Tell whether an address is one of the public internet, also inside an IPv6 wrapping."""
    inner = _wrapped(address)
    if inner is not None:
        return is_public(inner)
    if address.is_multicast or not address.is_global:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address not in _PUBLIC_IPV6:
        return False
    return not any(address in network for network in _NEVER_PUBLIC)


def _wrapped(address: IPAddress) -> IPAddress | None:
    """Return the IPv4 address that an IPv6 address stands for."""
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]


def normalise_url(written: str) -> str:
    """Return the address to fetch, without its fragment. Raises AddressRefusedError."""
    url = written.strip()
    parts = _split(url)
    if parts.scheme not in SCHEMES:
        message = f"{_shown(url)} is refused: only http and https addresses are fetched."
        raise AddressRefusedError(message, field="location")
    if not parts.hostname:
        message = f"{_shown(url)} is refused: it names no host."
        raise AddressRefusedError(message, field="location")
    if parts.username is not None or parts.password is not None:
        message = f"{parts.scheme}://…@{parts.hostname} is refused: leave out name and password."
        raise AddressRefusedError(message, field="location")
    whole = parts._replace(netloc=parts.netloc.lower(), path=parts.path or "/", fragment="")
    return urlunsplit(whole)


def is_web_address(written: str) -> bool:
    """Tell an address from the name of a file."""
    scheme, separator, _ = written.strip().partition("://")
    return bool(separator) and scheme.isascii() and scheme.replace("+", "").isalnum()


def _split(url: str) -> SplitResult:
    if not url or len(url) > MAX_URL_LENGTH or _FORBIDDEN_IN_URL.intersection(url):
        message = f"{_shown(url)} is no address: it is empty, too long or holds blanks."
        raise AddressRefusedError(message, field="location")
    try:
        parts = urlsplit(url)
        # Reading the port is what checks it.
        return parts if parts.port != 0 else parts._replace(netloc="")
    except ValueError as error:
        message = f"{_shown(url)} is no address ({error})."
        raise AddressRefusedError(message, field="location") from error


def _shown(url: str) -> str:
    return repr(url[:200])
