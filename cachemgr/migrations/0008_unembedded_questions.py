"""Lets an answer be kept whose question could not be embedded in time."""

import pgvector.django.vector
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):

    # Indexes on large tables are created concurrently.
    atomic = False

    dependencies = [
        ('cachemgr', '0007_model_changed'),
    ]

    operations = [
        migrations.AlterField(
            model_name='cachedresponse',
            name='vector',
            field=pgvector.django.vector.VectorField(editable=False, help_text='Of the question; without one it is found by its own words only.', null=True),
        ),
        migrations.AlterField(
            model_name='storekey',
            name='vector',
            field=pgvector.django.vector.VectorField(editable=False, null=True),
        ),
        AddIndexConcurrently(
            model_name='cachedresponse',
            index=models.Index(condition=models.Q(('invalidated_at__isnull', True), ('vector__isnull', True)), fields=['space'], name='cachedresponse_unembedded'),
        ),
    ]
