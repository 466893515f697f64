"""Accounts, contacts, deals and products that documents are about."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models.functions import Upper

from knowledge.history import CuratedRecords
from knowledge.models.identity import time_ordered_id


class EntityKind(models.TextChoices):
    """What an entity is."""

    COMPANY = "company", "Company"
    PERSON = "person", "Person"
    DEAL = "deal", "Deal"
    PRODUCT = "product", "Product"


class Entity(models.Model):
    """Something the company knows about by name."""

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    kind = models.CharField(max_length=16, choices=EntityKind.choices)
    name = models.CharField(max_length=300)
    aliases = ArrayField(
        models.CharField(max_length=300),
        default=list,
        blank=True,
        help_text="Other names it is written under.",
    )
    domains = ArrayField(
        models.CharField(max_length=253),
        default=list,
        blank=True,
        help_text="Internet domains that belong to it.",
    )
    external_id = models.CharField(
        max_length=200, blank=True, help_text="Its identifier in the CRM."
    )
    parent = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="children",
        help_text="The account a contact or deal belongs to.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    history = CuratedRecords(without=("created_at", "updated_at"))

    class Meta:
        ordering = ["name", "id"]
        verbose_name_plural = "entities"
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "external_id"],
                condition=~models.Q(external_id=""),
                name="entity_external_id_unique",
            ),
            models.CheckConstraint(name="entity_named", condition=~models.Q(name="")),
            models.CheckConstraint(
                name="entity_not_own_parent", condition=~models.Q(parent=models.F("id"))
            ),
        ]
        indexes = [
            GinIndex(OpClass(Upper("name"), name="gin_trgm_ops"), name="entity_name_trigram"),
            GinIndex(fields=["aliases"], name="entity_aliases"),
        ]

    def __str__(self) -> str:
        return self.name
