"""Ranking profiles: every number that decides an order, with plain words beside it."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from unfold.admin import TabularInline
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from knowledge.admin.curation import CurationAdmin, changes_of, shown_if
from knowledge.admin.paging import PagedFormSet
from retrieval.admin.people import curator_of
from retrieval.admin.profile_form import EXTRA_FIELDS, FIELDSETS, ProfileForm, without_extras
from retrieval.admin.profile_rules import differences
from retrieval.admin.what_if_kinds import PROFILE_FIELDS
from retrieval.evaluation.release import ReleaseFigures, save_measured
from retrieval.models import ProfileStatus, RankingProfile, RankingProfileVersion


class VersionInline(TabularInline):
    """Earlier versions, newest first."""

    model = RankingProfileVersion
    fields = ("version", "changed_by", "created_at", "differences", "restore")
    readonly_fields = fields
    verbose_name_plural = "earlier versions"
    extra = 0
    per_page = 10
    formset = PagedFormSet
    can_delete = False
    hide_title = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("profile", "changed_by")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.has_perm("retrieval.view_rankingprofile"))

    @display(description="What was different from now")
    def differences(self, version: RankingProfileVersion) -> str:
        """Return the values that differ from those of today."""
        return ", ".join(differences(version.values, version.profile)) or "nothing"

    @display(description="")
    def restore(self, version: RankingProfileVersion) -> SafeString | str:
        """Return a link that shows what going back to it would change, and does it."""
        former = {
            name: version.values[name]
            for name in PROFILE_FIELDS
            if version.values.get(name, "") not in ("", getattr(version.profile, name))
        }
        if not former:
            return ""
        page = reverse("what-if", args=["rankingprofile", version.profile_id])
        address = f"{page}?{urlencode({**former, 'show': 1})}"
        return format_html('<a href="{}" class="text-link">Go back to it</a>', address)


@admin.register(RankingProfile)
class RankingProfileAdmin(CurationAdmin):
    """Profiles with plain help; saving keeps the earlier version."""

    list_display = ("label", "state", "is_default", "weights", "version", "try_it")
    list_filter = (("status", ChoicesDropdownFilter),)
    search_fields = ("label", "slug")
    prepopulated_fields = {"slug": ("label",)}
    inlines = (VersionInline,)
    fieldsets = FIELDSETS
    form = ProfileForm
    change_form_after_template = "admin/what_if/button.html"
    conditional_fields = {
        "rrf_k": shown_if("fusion", "rrf"),
        "bound": shown_if("blend", "bounded"),
    }

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Leave out what only a change needs where nothing can be changed."""
        if self.has_change_permission(request, obj):
            return FIELDSETS
        return [(title, without_extras(options)) for title, options in FIELDSETS[:-1]]

    def get_prepopulated_fields(self, request: HttpRequest, obj: Any = None) -> dict[str, Any]:
        return {} if obj else dict(self.prepopulated_fields)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("slug",) if obj else ()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Deny for the default profile: searches need one."""
        return bool(not (obj and obj.is_default) and super().has_delete_permission(request, obj))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Delete the chosen profiles but the default one."""
        queryset.filter(is_default=False).delete()

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: FBT001 # Django's
        given = changes_of(form) if change else form.cleaned_data
        saved = save_measured(
            profile=RankingProfile.objects.get(pk=obj.pk) if change else None,
            changes={name: value for name, value in given.items() if name not in EXTRA_FIELDS},
            user=curator_of(request),
            seen_version=form.cleaned_data.get("seen_version") if change else None,
            override_reason=form.cleaned_data.get("override_reason", ""),
        )
        obj.pk = saved.profile.pk
        if saved.figures:
            _tell(request, saved.figures)
        elif saved.unmeasured and given:
            messages.info(request, f"Not measured on the golden set: {saved.unmeasured}.")

    @display(
        description="State",
        ordering="status",
        label={ProfileStatus.DRAFT: "info", ProfileStatus.PUBLISHED: "success"},
    )
    def state(self, profile: RankingProfile) -> tuple[str, str]:
        """Return the status as a badge."""
        return profile.status, profile.get_status_display()

    @display(description="Relevance / freshness / trust / authority")
    def weights(self, profile: RankingProfile) -> str:
        """Return the four weights."""
        return (
            f"{profile.relevance_weight:g} / {profile.freshness_weight:g}"
            f" / {profile.trust_weight:g} / {profile.authority_weight:g}"
        )

    @display(description="")
    def try_it(self, profile: RankingProfile) -> SafeString:
        """Return links to try a question with it, and to measure it."""
        return format_html(
            '<a href="{}?profile={}" class="text-link">Try it</a> ·'
            ' <a href="{}?profile={}" class="text-link">Evaluate</a>',
            reverse("preview"),
            profile.slug,
            reverse("admin:retrieval_evaluationrun_evaluate"),
            profile.pk,
        )


def _tell(request: HttpRequest, figures: ReleaseFigures) -> None:
    """Say what the golden set says of a profile that was saved."""
    if figures.is_small:
        messages.warning(
            request,
            f"On the golden set, too small to decide by it: {figures.in_words()}.",
        )
    elif figures.loss > 0 or figures.is_worse:
        messages.warning(request, f"On the golden set: {figures.in_words()}.")
    else:
        messages.success(request, f"On the golden set: {figures.in_words()}.")
