"""Who changed what, when: kept beside every change that a person or a program decides on."""

from knowledge.history.acting import acting_as, because
from knowledge.history.bulk import record_many
from knowledge.history.fields import FieldChange, decode, describe, encode
from knowledge.history.records import CuratedChange, CuratedRecords, as_one_change

__all__ = [
    "CuratedChange",
    "CuratedRecords",
    "FieldChange",
    "acting_as",
    "as_one_change",
    "because",
    "decode",
    "describe",
    "encode",
    "record_many",
]
