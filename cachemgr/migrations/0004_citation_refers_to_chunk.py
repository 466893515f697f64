"""Lets the ORM join what a citation cites; in the database nothing changes."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('cachemgr', '0003_newcomers'),
        ('knowledge', '0002_initial'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint(
                    model_name='cachedcitation',
                    name='cachedcitation_unique',
                ),
                migrations.RemoveIndex(
                    model_name='cachedcitation',
                    name='cachedcitation_by_chunk',
                ),
                migrations.RemoveField(
                    model_name='cachedcitation',
                    name='chunk_id',
                ),
                migrations.AddField(
                    model_name='cachedcitation',
                    name='chunk',
                    field=models.ForeignKey(db_constraint=False, db_index=False, default=None, help_text='The id outlives the chunk, to say what was cited.', on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='knowledge.chunk'),
                    preserve_default=False,
                ),
                migrations.AddIndex(
                    model_name='cachedcitation',
                    index=models.Index(fields=['chunk'], name='cachedcitation_by_chunk'),
                ),
                migrations.AddConstraint(
                    model_name='cachedcitation',
                    constraint=models.UniqueConstraint(fields=('response', 'number', 'chunk'), name='cachedcitation_unique'),
                ),
            ],
        ),
    ]
