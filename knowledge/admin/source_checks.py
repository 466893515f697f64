"""When sources are read again: by their schedule, and by calls from outside."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from unfold.decorators import action, display

from knowledge.admin.schedule_field import describe_schedule
from knowledge.admin.source_actions import SourceActions
from knowledge.models import Source
from knowledge.services.timetable import is_refreshable
from knowledge.services.webhooks import renew_webhook


class SourceChecks(SourceActions):
    """When a source is read again, and who may ask for it."""

    actions_detail: Any = (*SourceActions.actions_detail, "new_webhook_secret")

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> list[Any]:
        """Leave out what makes no sense for a source whose documents are pushed or uploaded."""
        offered = super().get_actions_detail(request, object_id)
        source = Source.objects.only("connector", "location").filter(pk=object_id).first()
        if source is None or is_refreshable(source):
            return offered
        unfit = ("check_now_this", "new_webhook_secret")
        return [each for each in offered if not each.action_name.endswith(unfit)]

    @action(
        description="New webhook secret",
        url_path="webhook-secret",
        permissions=["change"],
        icon="webhook",
        dialog={
            "title": "Make a webhook secret?",
            "description": (
                "A program that holds it can have this source read again by a signed call. It is"
                " shown once. A secret that was made before opens nothing from then on."
            ),
            "form_submit_text": "Make a secret",
        },
    )
    def new_webhook_secret(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Show address and secret of the webhook of the source, once."""
        source = self._this(request, object_id).get()
        secret = renew_webhook(source=source)
        self.log_change(request, source, "Webhook secret made.")
        address = request.build_absolute_uri(reverse("webhook", args=[source.pk]))
        text = (
            "The webhook of {} is <code>{}</code>, its secret <code>{}</code>. Copy it now: it"
            " cannot be shown again."
        )
        messages.warning(request, format_html(text, source.name, address, secret))
        return self._back(request, object_id)

    @display(description="Is checked")
    def checked_when(self, source: Source) -> str:
        """Return its schedule in words."""
        return describe_schedule(source.refresh_schedule)

    @display(description="Next check", empty_value="-")
    def next_check(self, source: Source) -> str | None:
        """Return when it is read next by its schedule."""
        if source.next_check_at is None:
            return None
        return date_format(timezone.localtime(source.next_check_at), "l, j F Y, H:i")
