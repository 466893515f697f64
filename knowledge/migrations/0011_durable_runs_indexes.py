"""Indexes of the documents of a run, and of those somebody works on."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("knowledge", "0010_durable_runs")]

    operations = [
        AddIndexConcurrently(
            model_name="document",
            index=models.Index(fields=["last_run"], name="document_by_run"),
        ),
        AddIndexConcurrently(
            model_name="document",
            index=models.Index(
                condition=models.Q(("lease_until__isnull", False)),
                fields=["lease_until"],
                name="document_by_lease",
            ),
        ),
    ]
