#!/usr/bin/env python
"""Command-line entry point."""

import os
import sys


def main() -> None:
    """Run the management command named on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crmind.settings")
    from django.core.exceptions import ImproperlyConfigured  # noqa: PLC0415 # as above
    from django.core.management import execute_from_command_line  # noqa: PLC0415 # after the settings are named
    from django.db import OperationalError, ProgrammingError  # noqa: PLC0415 # as above
    from psycopg import errors  # noqa: PLC0415 # as above

    from crmind.exceptions import CRMindError  # noqa: PLC0415 # as above

    try:
        execute_from_command_line(sys.argv)
    except (CRMindError, ImproperlyConfigured, OperationalError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    except ProgrammingError as error:
        if not isinstance(error.__cause__, (errors.UndefinedTable, errors.UndefinedColumn)):
            raise
        sys.exit(
            "The database is not set up, or is that of another version of CRMind. "
            "Run manage.py migrate, then manage.py seed."
        )


if __name__ == "__main__":
    main()
