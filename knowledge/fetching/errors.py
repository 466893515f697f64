"""What can go wrong when an address is fetched; each message is one plain sentence."""

from crmind.exceptions import InvalidInputError, UnavailableError


class FetchError(UnavailableError):
    """The address could not be fetched."""

    code = "fetch_failed"


class AddressRefusedError(InvalidInputError):
    """The address may not be fetched from here."""

    code = "address_refused"


class PageGoneError(FetchError):
    """The server says that there is no such page."""

    code = "page_gone"


class PageRefusedError(FetchError):
    """The page exists, but may not or cannot be read."""

    code = "page_refused"


class HostBusyError(FetchError):
    """The host asked to be left alone for longer than a run waits."""

    code = "host_busy"


FetchFailure = (FetchError, AddressRefusedError)
