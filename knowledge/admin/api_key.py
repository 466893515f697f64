"""API keys: which programs may ask, and what they may read."""

from typing import Any

from django.apps import apps
from django.contrib import admin, messages
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.html import format_html
from unfold.contrib.filters.admin import BooleanRadioFilter
from unfold.decorators import display

from knowledge.admin.curation import CurationAdmin
from knowledge.models import ApiKey

# The library's own keys would open nothing here, and look as if they did.
admin.site.unregister(apps.get_model("rest_framework_api_key", "APIKey"))


HELP_TEXTS = {
    "name": "The program or team that uses it.",
    "access_tags": "Documents with one of these tags may be read with it.",
    "can_write": "May push, replace and delete documents, sources and entities.",
    "expiry_date": "From then on it opens nothing. Empty: until it is revoked.",
    "revoked": "It opens nothing from now on. This cannot be taken back.",
}


@admin.register(ApiKey)
class ApiKeyAdmin(CurationAdmin):
    """Keys; the secret is shown once, when it is made."""

    list_display = ("name", "prefix", "tags", "can_write", "created", "expiry_date", "state")
    list_filter = (("revoked", BooleanRadioFilter), ("can_write", BooleanRadioFilter))
    search_fields = ("name", "prefix")
    fieldsets = (
        (None, {"fields": ("name", "prefix")}),
        (
            "What it may do",
            {
                "fields": ("access_tags", "can_write"),
                "description": (
                    "Give each program its own key with no more tags than its readers need."
                    " Several tags with commas between them; “everyone” is always included."
                ),
            },
        ),
        ("Until when", {"fields": ("expiry_date", "revoked")}),
    )

    def get_form(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> type[ModelForm]:
        kwargs["help_texts"] = HELP_TEXTS
        return super().get_form(request, obj, **kwargs)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        if obj and obj.revoked:
            return ("prefix", "name", "access_tags", "can_write", "expiry_date", "revoked")
        return ("prefix",)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fieldsets = super().get_fieldsets(request, obj)
        return fieldsets if obj else ((None, {"fields": ("name",)}), *fieldsets[1:])

    def save_model(self, request: HttpRequest, obj: ApiKey, form: Any, change: bool) -> None:  # noqa: FBT001 # Django's
        if change:
            obj.save()
            return
        key = ApiKey.objects.assign_key(obj)
        obj.save()
        text = (
            "The key of {} is <code>{}</code>. Copy it now: only a hash of it is kept,"
            " it cannot be shown again."
        )
        messages.warning(request, format_html(text, obj.name, key))

    @display(description="May read")
    def tags(self, key: ApiKey) -> str:
        """Return the access tags."""
        return ", ".join(sorted(key.readable_tags))

    @display(
        description="State",
        label={"valid": "success", "expired": "warning", "revoked": "danger"},
    )
    def state(self, key: ApiKey) -> tuple[str, str]:
        """Return whether the key opens anything now."""
        if key.revoked:
            return "revoked", "Revoked"
        return ("expired", "Expired") if key.has_expired else ("valid", "Valid")
