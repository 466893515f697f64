"""Accounts, contacts, deals and products."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from knowledge.admin.curation import CurationAdmin, changes_of
from knowledge.admin.paging import BoundedPaginator
from knowledge.admin.try_it import try_links
from knowledge.lookalikes import describe_mixed, mixed_words
from knowledge.models import Entity
from knowledge.services import delete_entity, ensure_entity, update_entity
from knowledge.services.entities import check_names, find_entity_ids


@admin.register(Entity)
class EntityAdmin(CurationAdmin):
    """Entities with the names a question may call them by."""

    list_display = ("name", "kind", "other_names", "parent", "external_id")
    list_select_related = ("parent",)
    list_filter = (("kind", ChoicesDropdownFilter),)
    search_fields = ("name", "aliases", "external_id")
    autocomplete_fields = ("parent",)
    paginator = BoundedPaginator
    readonly_fields = ("try_it",)
    fieldsets = (
        (None, {"fields": ("kind", "name", "parent", "external_id", "try_it")}),
        (
            "How texts and questions call it",
            {
                "fields": ("aliases", "domains"),
                "description": (
                    "Several names with commas between them, for example: IBM, Big Blue. A question"
                    " that holds one of them is about it; domains such as ibm.com tell whose mail"
                    " it is."
                ),
            },
        ),
    )

    def save_model(self, request: HttpRequest, obj: Entity, form: Any, change: bool) -> None:  # noqa: FBT001 # Django's
        check_names(name=obj.name, aliases=obj.aliases)
        if change:
            update_entity(entity=Entity.objects.get(pk=obj.pk), **changes_of(form))
        else:
            entity, is_new = ensure_entity(**form.cleaned_data)
            obj.pk = entity.pk
            if not is_new:
                messages.warning(request, "There was such an entity already; it was changed.")
        names = " ".join([obj.name, *obj.aliases])
        for warning in describe_mixed(mixed_words(names)):
            messages.warning(request, warning)

        for name, keys in sorted(find_entity_ids([obj.name, *obj.aliases]).items()):
            if keys != (obj.pk,):
                text = f"“{name}” is a name of another entity, too: it may be taken for that one."
                messages.warning(request, text)

    @display(description="Try it", empty_value="Save it first.")
    def try_it(self, entity: Entity) -> str | None:
        """Return links that ask by its name, and within what is filed under it."""
        if entity._state.adding:  # noqa: SLF001 # documented
            return None
        named = (f"Ask for “{entity.name}”", {"question": entity.name})
        within = ("Ask within what is filed under it", {"entity": str(entity.pk)})
        return try_links(named, within)

    def delete_model(self, request: HttpRequest, obj: Entity) -> None:
        delete_entity(entity=obj)

    def delete_queryset(self, request: HttpRequest, queryset: Any) -> None:
        for entity in queryset:
            delete_entity(entity=entity)

    @display(description="Other names")
    def other_names(self, entity: Entity) -> str:
        """Return the aliases."""
        return ", ".join(entity.aliases)
