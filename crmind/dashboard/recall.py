"""Whether the vector index finds what is there, as it was measured last."""

from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timesince import timesince

from crmind.dashboard.facts import Fact
from knowledge.models import EmbeddingSpace
from retrieval.models import IndexCheck

OLD = timedelta(days=30)
LABEL = "Recall of the index"
HOW = "An operator measures it by manage.py check_index, best every week."


def describe_recall(space: EmbeddingSpace | None, *, now: datetime) -> Fact:
    """Return what the last comparison with exact scans found, or how to make the first."""
    check = IndexCheck.objects.first()
    if check is None:
        text = f"Whether the index finds what is there has not been measured yet. {HOW}"
        return Fact(label=LABEL, badge="info", state="Not measured", text=text)
    moment = date_format(timezone.localtime(check.created_at), "j F Y, H:i")
    measured = f"{_found(check)} Measured {timesince(check.created_at, now)} ago ({moment})."
    if check.faults:
        text = " ".join([measured, *check.faults])
        return Fact(label=LABEL, badge="danger", state="Too low", text=text)
    if space is not None and check.embedding_model != str(space):
        text = f"{measured} Another model answered then, {check.embedding_model}. {HOW}"
        return Fact(label=LABEL, badge="warning", state="Out of date", text=text)
    if now - check.created_at > OLD:
        text = f"{measured} {HOW}"
        return Fact(label=LABEL, badge="warning", state="Out of date", text=text)
    return Fact(label=LABEL, badge="success", state="Good", text=measured)


def _found(check: IndexCheck) -> str:
    if not check.recalls:
        return "There was nothing to compare."
    worst = min(check.recalls, key=lambda label: (check.recalls[label], label))
    least = f"{check.recalls[worst]:.1%}"
    where = "" if worst == "none" else f", least within the {worst} passages"
    return f"It finds at least {least} of what an exact scan finds{where}."
