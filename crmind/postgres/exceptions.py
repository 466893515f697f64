"""What goes wrong with the embedded server, in words that name the remedy."""

from crmind.exceptions import UnavailableError


class PostgresStartError(UnavailableError):
    """The embedded PostgreSQL server cannot be used."""

    def __init__(self, reason: str, *, remedy: str, log_lines: tuple[str, ...] = ()) -> None:
        self.reason = reason
        self.remedy = remedy
        self.log_lines = log_lines
        lines = [f"{reason} {remedy}", *(f"  {line}" for line in log_lines)]
        super().__init__("\n".join(lines))
