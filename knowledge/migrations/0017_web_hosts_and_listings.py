"""Sitemaps and feeds as they were read last, and the pace at which hosts are asked."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0016_decisions_in_history")]

    operations = [
        migrations.CreateModel(
            name="WebHost",
            fields=[
                ("host", models.CharField(max_length=300, primary_key=True, serialize=False)),
                (
                    "next_at",
                    models.DateTimeField(help_text="When the next request may go there."),
                ),
                (
                    "alone_until",
                    models.DateTimeField(
                        blank=True,
                        help_text="Until when it asked to be left alone (Retry-After).",
                        null=True,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ListingVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.CharField(max_length=2000)),
                ("etag", models.CharField(blank=True, max_length=500)),
                ("last_modified", models.CharField(blank=True, max_length=500)),
                (
                    "packed",
                    models.BinaryField(help_text="What the server sent, packed by zlib."),
                ),
                ("read_at", models.DateTimeField()),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="knowledge.source",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("source", "url"), name="listingversion_url_unique"
                    )
                ],
            },
        ),
    ]
