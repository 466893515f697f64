"""Changes the embedding model while the one in use answers."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from crmind.exceptions import CRMindError
from knowledge.conf import knowledge_settings
from knowledge.embedding.choice import ModelChoice
from knowledge.embedding.registry import PROVIDERS
from knowledge.management.progress import progress_bar
from knowledge.management.space_reports import (
    estimate_record,
    outcome_lines,
    standing_line,
    standing_records,
)
from knowledge.models import EmbeddingSpace
from knowledge.services.ingest import Progress
from knowledge.services.reembedding import FillOutcome, FillProgress, begin_reembedding, fill_space
from knowledge.services.space_choice import new_choice
from knowledge.services.space_estimate import estimate_reembedding
from knowledge.services.space_status import describe_spaces
from knowledge.services.space_switch import drop_space, previous_space, switch_space
from knowledge.services.space_words import estimate_lines

EXIT_STOPPED = 4


class Command(BaseCommand):
    """`manage.py reembed [--model NAME | --switch | --rollback | --drop ID]`."""

    help = (
        "Embed all passages by another model while the one in use goes on answering, then switch"
        " to it. Without arguments: how the models stand. May be interrupted and given again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take what to do, and for a new model how it is asked."""
        chosen = parser.add_mutually_exclusive_group()
        chosen.add_argument("--model", default="", metavar="NAME", help="Embed by this model.")
        chosen.add_argument("--switch", action="store_true", help="Let the complete one answer.")
        chosen.add_argument("--rollback", action="store_true", help="Go back to the one before.")
        chosen.add_argument("--drop", type=int, metavar="ID", help="Delete the vectors of one.")
        parser.add_argument("--provider", default="", choices=["", *PROVIDERS])
        parser.add_argument("--dimensions", type=int, default=0, metavar="N")
        parser.add_argument("--base-url", default="", metavar="URL", help="Address of its own.")
        parser.add_argument(
            "--api-key-variable",
            default="",
            metavar="NAME",
            help="Environment variable with the key for that address.",
        )
        parser.add_argument("--query-prefix", default=None, metavar="TEXT")
        parser.add_argument("--document-prefix", default=None, metavar="TEXT")
        parser.add_argument("--max-tokens", type=int, default=0, metavar="N")
        parser.add_argument("--dry-run", action="store_true", help="Only estimate.")
        parser.add_argument("--yes", action="store_true", help="Do not ask.")
        parser.add_argument(
            "--force", action="store_true", help="Switch although golden questions do worse."
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do the one thing asked for."""
        try:
            if options["model"]:
                self._reembed(options)
            elif options["switch"] or options["rollback"]:
                self._switch(options)
            elif options["drop"] is not None:
                self._drop(options)
            else:
                self._tell(options)
        except (CRMindError, ImproperlyConfigured) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt as error:
            message = "Interrupted. What is embedded stays: give the command again to go on."
            raise CommandError(message) from error

    def _reembed(self, options: dict[str, Any]) -> None:
        choice = _choice(options)
        estimate = estimate_reembedding(choice)
        if options["dry_run"]:
            self._print(options, {"estimate": estimate_record(estimate)}, estimate_lines(estimate))
            return
        if not options["json"]:
            self._write(estimate_lines(estimate))
        self._confirm(options, "Embed all that now?")
        space = begin_reembedding(choice)
        with progress_bar() as show:

            def on_progress(progress: FillProgress) -> None:
                show(Progress(seen=progress.done, expected=progress.total))

            outcome = fill_space(space, on_progress=on_progress)
        space.refresh_from_db()
        self._print(
            options,
            {
                "estimate": estimate_record(estimate),
                "outcome": outcome,
                "models": standing_records(),
            },
            outcome_lines(space, outcome),
        )
        if outcome is not FillOutcome.READY:
            sys.exit(EXIT_STOPPED)

    def _switch(self, options: dict[str, Any]) -> None:
        space = previous_space() if options["rollback"] else _only_ready()
        self._confirm(options, f"Let {space} answer from now on?")
        is_forced = options["force"] or options["rollback"]
        left = switch_space(space=space, now=timezone.now(), is_forced=is_forced)
        line = (
            f"{space} answers now. {left} is kept up to date: `reembed --rollback` goes back to it,"
            f" `reembed --drop {left.pk}` deletes its vectors."
        )
        self._print(
            options, {"active": space.pk, "left": left.pk, "models": standing_records()}, [line]
        )

    def _drop(self, options: dict[str, Any]) -> None:
        space = EmbeddingSpace.objects.filter(pk=options["drop"]).first()
        if space is None:
            message = f"drop: there is no embedding model {options['drop']}."
            raise CommandError(message)
        self._confirm(options, f"Delete all vectors of {space}? There is no way back.")
        count = drop_space(space=space, is_confirmed=True)
        record = {"dropped": space.pk, "vectors": count}
        self._print(options, record, [f"{count} vectors of {space} deleted."])

    def _tell(self, options: dict[str, Any]) -> None:
        lines = [standing_line(standing) for standing in describe_spaces()]
        self._print(options, {"models": standing_records()}, lines or ["Nothing is embedded yet."])

    def _confirm(self, options: dict[str, Any], question: str) -> None:
        if options["yes"]:
            return
        if options["json"] or not sys.stdin.isatty():
            message = f"{question} Give --yes to go ahead."
            raise CommandError(message)
        if input(f"{question} [y/N] ").strip().lower() not in {"y", "yes"}:
            message = "Nothing was changed."
            raise CommandError(message)

    def _print(
        self, options: dict[str, Any], record: dict[str, Any], lines: list[str] | Iterator[str]
    ) -> None:
        if options["json"]:
            self.stdout.write(json.dumps(record, ensure_ascii=False))
        else:
            self._write(lines)

    def _write(self, lines: list[str] | Iterator[str]) -> None:
        for line in lines:
            self.stdout.write(line)


def _choice(options: dict[str, Any]) -> ModelChoice:
    return new_choice(
        model=options["model"],
        provider=options["provider"] or knowledge_settings().embedding_provider,
        dimensions=options["dimensions"],
        base_url=options["base_url"],
        api_key_variable=options["api_key_variable"],
        query_prefix=options["query_prefix"],
        document_prefix=options["document_prefix"],
        max_tokens=options["max_tokens"],
    )


def _only_ready() -> EmbeddingSpace:
    ready = [each.space for each in describe_spaces() if each.is_new]
    if len(ready) != 1:
        message = "There is no new model that is complete. `reembed` tells how the models stand."
        raise CommandError(message)
    return ready[0]
