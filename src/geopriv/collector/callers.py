"""Who calls, as far as a request says it."""

from __future__ import annotations

from collections.abc import Container
from ipaddress import IPv6Address, ip_address

from starlette.requests import Request


def bearer(request: Request) -> str | None:
    """What stands behind "Bearer" in the header Authorization; None where nothing does."""
    words = request.headers.get("authorization", "").split(" ")
    return words[1] if len(words) == 2 and words[0].casefold() == "bearer" else None


def address(request: Request) -> str:
    """The address that is called from; it is kept in memory only."""
    return network(request.client.host) if request.client is not None else ""


def elsewhere(request: Request, origins: Container[str]) -> bool:
    """Whether a browser sends this for a page of another site, without a word to who sits in front of it.

    Args:
        request: that may say where it comes from; programs do not.
        origins: pages of other sites that may.
    """
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    if "*" in origins or origin in origins:
        return False
    if site is not None:
        return site not in ("same-origin", "none")
    # of an older browser
    host = request.headers.get("host")
    return origin is not None and origin not in (f"http://{host}", f"https://{host}")


def network(host: str) -> str:
    """Whose limits count for an address: one subscriber has 2^64 addresses of IPv6.

    >>> [network(host) for host in ("192.0.2.1", "2001:db8::1", "2001:db8::ffff:2", "::ffff:192.0.2.1", "a proxy")]
    ['192.0.2.1', '2001:db8::', '2001:db8::', '192.0.2.1', 'a proxy']
    """
    try:
        found = ip_address(host)
    except ValueError:
        return host
    if not isinstance(found, IPv6Address):
        return host
    return str(found.ipv4_mapped or IPv6Address(int(found) >> 64 << 64))
