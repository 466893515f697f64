"""What makes two questions the same: the normalised question and the scope it is asked in."""

import hashlib
import json
import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import groupby

from knowledge.lexical import normalise_text
from retrieval.query.steps import EVERY_STEP, Step
from retrieval.types import Filters

_END_PUNCTUATION = " ?!.,;:\u3002\u061f\u3001"
_WHITE_SPACE = re.compile(r"\s+")
_RAISED = ("<super>", "<sub>", "<fraction>")


def normalise_question(text: str) -> str:
    """Fold what never changes an answer: case, white space, compatibility forms, end punctuation.

    Raised and lowered digits and fractions stay as they are: 10² is not 102.
    """
    folded = "".join(
        "".join(run) if is_raised else normalise_text("".join(run))
        for is_raised, run in groupby(text, key=_is_raised)
    )
    spaced = _WHITE_SPACE.sub(" ", folded.casefold()).strip()
    return _without_end_punctuation(spaced) or spaced


def question_key(text: str) -> str:
    """Return the SHA-256 of the normalised question, in hexadecimal."""
    return _sha256(normalise_question(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Everything but the words that an answer depends on; answers never cross scopes.

    `steps` are those by which the question was understood, `language` is what the answer is written
    in. `asked_on` is set when the question counts from today ("last week"): the answer holds for
    that day only.
    """

    filters: Filters
    profile: str
    profile_version: int
    space_id: int
    steps: frozenset[Step] = EVERY_STEP
    language: str = ""
    conversation_id: str = ""
    chat_model: str = ""
    asked_on: date | None = None

    def as_json(self) -> dict[str, object]:
        """Return the scope in JSON's types: sets sorted, moments in UTC."""
        return {
            "access_tags": sorted(self.filters.access_tags),
            "entity_ids": sorted({str(entity_id) for entity_id in self.filters.entity_ids}),
            "source_ids": sorted(set(self.filters.source_ids)),
            "source_type_ids": sorted(set(self.filters.source_type_ids)),
            "since": _moment(self.filters.since),
            "until": _moment(self.filters.until),
            "known_by": _moment(self.filters.known_by),
            "profile": self.profile,
            "profile_version": self.profile_version,
            "space_id": self.space_id,
            "language": self.language,
            "conversation_id": self.conversation_id,
            "chat_model": self.chat_model,
            "asked_on": self.asked_on.isoformat() if self.asked_on else None,
            # Left out where nothing was, as it was before steps could be.
            **({} if self.steps == EVERY_STEP else {"steps": sorted(self.steps)}),
        }


def scope_fingerprint(scope: Scope) -> str:
    """Return the SHA-256 of the scope's canonical JSON, in hexadecimal."""
    return _sha256(json.dumps(scope.as_json(), sort_keys=True, separators=(",", ":")))


def _without_end_punctuation(text: str) -> str:
    bare = text.rstrip(_END_PUNCTUATION)
    # An exclamation mark after a digit may be a factorial.
    is_factorial = bare[-1:].isdigit() and text[len(bare) :].startswith("!")
    return f"{bare}!" if is_factorial else bare


def _is_raised(character: str) -> bool:
    return not character.isascii() and unicodedata.decomposition(character).startswith(_RAISED)


def _moment(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat() if moment else None


def _sha256(text: str) -> str:
    # A lone surrogate cannot be encoded; it may still be asked about.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
