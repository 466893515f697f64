"""The pace at which hosts of the web are asked, kept by all processes together."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from knowledge.fetching.pace import Turn
from knowledge.models import WebHost

FORGOTTEN_AFTER = timedelta(days=1)


class SharedPace:
    """Hands out the turns at each host, one after another, whoever asks."""

    @transaction.atomic
    def take_turn(self, host: str, *, pause: float, patience: float) -> Turn:
        """Take the next turn at a host, after which it gets a pause."""
        known = _locked(host)
        now = timezone.now()
        alone_until = known.alone_until or now
        if alone_until - now > timedelta(seconds=patience):
            return Turn(seconds=(alone_until - now).total_seconds(), is_refused=True)
        starts = max(now, known.next_at, alone_until)
        known.next_at = starts + timedelta(seconds=pause)
        known.save(update_fields=["next_at"])
        return Turn(seconds=(starts - now).total_seconds())

    @transaction.atomic
    def leave_alone(self, host: str, *, seconds: float) -> None:
        """Note that a host asked not to be asked for some time."""
        known = _locked(host)
        until = timezone.now() + timedelta(seconds=seconds)
        known.alone_until = max(until, known.alone_until or until)
        known.save(update_fields=["alone_until"])


def forget_hosts(*, now: datetime) -> None:
    """Forget the hosts that nobody has asked for long, and that may be asked at any time."""
    idle = WebHost.objects.filter(next_at__lt=now - FORGOTTEN_AFTER)
    idle.exclude(alone_until__gt=now).delete()


def _locked(host: str) -> WebHost:
    WebHost.objects.bulk_create([WebHost(host=host, next_at=timezone.now())], ignore_conflicts=True)
    known: WebHost = WebHost.objects.select_for_update().get(host=host)
    return known
