"""What commands that measure have in common."""

import json
import signal
import sys
from abc import abstractmethod
from argparse import ArgumentParser
from collections.abc import Iterable, Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from crmind.exceptions import CRMindError, InvalidInputError


class MeasuringCommand(BaseCommand):
    """Measures in a database of its own, and tells the figures in lines or as JSON."""

    # The name of each count that is given, and the least it has to be.
    least: Mapping[str, int]

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take in which form the figures are wanted."""
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Fill, measure, report."""
        # Ended from outside, the scratch database goes too.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        counts = {name: options[name] for name in self.least}
        try:
            for name, least in self.least.items():
                _check(name, counts[name], least)
            report = self.measure(**counts)
        except CRMindError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            self.stdout.write(json.dumps(report))
            return
        for line in self.describe(report):
            self.stdout.write(line)

    @abstractmethod
    def measure(self, *args: Any, **counts: Any) -> dict[str, Any]:
        """Return the figures by name. Raises CRMindError."""

    @abstractmethod
    def describe(self, report: dict[str, Any]) -> Iterable[str]:
        """Return the figures as lines."""


def _check(name: str, count: int, least: int) -> None:
    if count < least:
        message = f"--{name} is {count}; it has to be {least} or more."
        raise InvalidInputError(message, field=name)
