"""Input and output of the knowledge API."""

from typing import Any

from rest_framework import serializers

from knowledge.api.strict import StrictSerializer, TextField
from knowledge.models import Document, DocumentStatus, Entity, EntityKind, Source
from knowledge.models.fields import ACCESS_TAG


def tags_field(**options: Any) -> serializers.ListField:
    """Return a field of access tags; an empty list is refused, it would mean nobody."""
    return serializers.ListField(
        child=TextField(max_length=63, validators=[ACCESS_TAG]), allow_empty=False, **options
    )


class SourceInput(StrictSerializer):
    """A source to create. Trust and authority are the curators' to decide, in the admin."""

    name = TextField(max_length=200)
    type = serializers.SlugField(required=False, default="", help_text="Slug of the source type.")
    location = TextField(max_length=2000, required=False, default="", allow_blank=True)
    language = TextField(max_length=63, required=False, default="")
    access_tags = tags_field(required=False)


class SourceChange(StrictSerializer):
    """What a program may change of a source."""

    name = TextField(max_length=200, required=False)
    location = TextField(max_length=2000, required=False, allow_blank=True)
    enabled = serializers.BooleanField(required=False)
    access_tags = tags_field(required=False)


class SourceOutput(serializers.ModelSerializer[Source]):
    """A source."""

    type: serializers.SlugRelatedField[Any] = serializers.SlugRelatedField(
        source="source_type", slug_field="slug", read_only=True
    )
    authority = serializers.FloatField(read_only=True)

    class Meta:
        model = Source
        fields = [
            "id",
            "name",
            "type",
            "location",
            "trust",
            "authority",
            "enabled",
            "language",
            "access_tags",
            "health",
            "health_reason",
            "last_run_at",
        ]
        read_only_fields = fields


class DocumentInput(StrictSerializer):
    """A document to add, or to replace if its source has one of this external id."""

    source = TextField(  # type: ignore[assignment] # an input called like an attribute of fields
        max_length=200, help_text="Name of the source; it must exist."
    )
    external_id = TextField(max_length=1000)
    text = TextField(trim_whitespace=False, help_text="Plain text or Markdown.")
    title = TextField(max_length=1000, required=False, default="", allow_blank=True)
    url = TextField(max_length=2000, required=False, default="", allow_blank=True)
    type = serializers.SlugField(required=False, default="")
    language = TextField(max_length=63, required=False, default="")
    published_at = serializers.DateTimeField(required=False, allow_null=True, default=None)
    valid_from = serializers.DateTimeField(required=False, allow_null=True, default=None)
    valid_until = serializers.DateTimeField(required=False, allow_null=True, default=None)
    supersedes = TextField(
        max_length=1000, required=False, default="", help_text="External id it replaces."
    )
    entities = serializers.ListField(
        child=TextField(max_length=300),
        required=False,
        default=list,
        help_text="Names or external ids of entities it is about.",
    )
    access_tags = tags_field(required=False)
    metadata = serializers.DictField(
        child=TextField(max_length=2000, allow_blank=True), required=False, default=dict
    )


class StoredDocument(serializers.Serializer[Any]):
    """What became of a pushed document."""

    id = serializers.IntegerField()
    outcome = serializers.ChoiceField(choices=["added", "updated", "unchanged"])
    status = serializers.ChoiceField(choices=DocumentStatus.choices)
    reason = serializers.CharField(help_text="What a curator has to look at; else empty.")
    chunks = serializers.IntegerField()
    warnings = serializers.ListField(child=serializers.CharField())


class DocumentOutput(serializers.ModelSerializer[Document]):
    """A document without its text."""

    source: serializers.SlugRelatedField[Any] = serializers.SlugRelatedField(  # type: ignore[assignment] # as above
        slug_field="name", read_only=True
    )
    type = serializers.SerializerMethodField()
    entities: serializers.SlugRelatedField[Any] = serializers.SlugRelatedField(
        slug_field="name", many=True, read_only=True
    )

    class Meta:
        model = Document
        fields = [
            "id",
            "source",
            "external_id",
            "type",
            "title",
            "url",
            "language",
            "published_at",
            "fetched_at",
            "valid_from",
            "valid_until",
            "access_tags",
            "entities",
            "status",
            "status_reason",
            "warnings",
            "chunk_count",
        ]
        read_only_fields = fields

    def get_type(self, document: Document) -> str:
        """Return the slug of the type in force."""
        return (document.source_type or document.source.source_type).slug


class EntityInput(StrictSerializer):
    """An entity to add, or to change if its kind has one of this external id."""

    kind = serializers.ChoiceField(choices=EntityKind.choices)
    name = TextField(max_length=300)
    external_id = TextField(max_length=200, required=False, default="", allow_blank=True)
    aliases = serializers.ListField(child=TextField(max_length=300), required=False)
    domains = serializers.ListField(child=TextField(max_length=253), required=False)
    parent = serializers.UUIDField(  # type: ignore[assignment] # an input called like an attribute
        required=False, allow_null=True, help_text="Id of the account it belongs to."
    )


class EntityOutput(serializers.ModelSerializer[Entity]):
    """An entity."""

    class Meta:
        model = Entity
        fields = ["id", "kind", "name", "aliases", "domains", "external_id", "parent"]
        read_only_fields = fields
