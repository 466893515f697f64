"""Ask a server whether it accepts connections."""

from enum import Enum
from pathlib import Path

from psycopg import pq
from psycopg.conninfo import make_conninfo

from crmind.postgres.configuration import SUPERUSER


class Answer(Enum):
    ACCEPTS = "accepts"
    NOT_NOW = "not now"
    SILENT = "silent"


def ask(sockets: Path, port: int) -> Answer:
    """Tell how the server answers: NOT_NOW while it starts, stops or recovers."""
    conninfo = make_conninfo(
        host=str(sockets), port=port, user=SUPERUSER, dbname="postgres", connect_timeout=5
    )
    match pq.PGconn.ping(conninfo.encode()):
        case pq.Ping.OK:
            return Answer.ACCEPTS
        case pq.Ping.REJECT:
            return Answer.NOT_NOW
        case _:
            return Answer.SILENT
