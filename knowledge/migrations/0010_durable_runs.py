"""Runs say what they do, documents who works on them: both can be taken up by another process."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('knowledge', '0009_ways_in'),
    ]

    operations = [
        migrations.AddField(
            model_name='document',
            name='claimed_hash',
            field=models.CharField(blank=True, db_default='', default='', help_text='SHA-256 of the version that is, or was last, worked on.', max_length=64),
        ),
        migrations.AddField(
            model_name='document',
            name='last_run',
            field=models.ForeignKey(blank=True, db_index=False, help_text='The run that last worked on it.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='documents', to='knowledge.ingestionrun'),
        ),
        migrations.AddField(
            model_name='ingestionrun',
            name='arguments',
            field=models.JSONField(blank=True, db_default=models.Value({}, models.JSONField()), default=dict),
        ),
        migrations.AddField(
            model_name='ingestionrun',
            name='due_at',
            field=models.DateTimeField(blank=True, help_text='Not taken up before then; empty means at once.', null=True),
        ),
        migrations.AddField(
            model_name='ingestionrun',
            name='kind',
            field=models.CharField(blank=True, db_default='', default='', help_text='What it does.', max_length=32),
        ),
        migrations.AddField(
            model_name='ingestionrun',
            name='progress_mark',
            field=models.PositiveIntegerField(db_default=0, default=0, help_text='How far it was when it was last set back.'),
        ),
        migrations.AddField(
            model_name='ingestionrun',
            name='queued_at',
            field=models.DateTimeField(blank=True, help_text='When it was last handed to the queue.', null=True),
        ),
        migrations.AddField(
            model_name='ingestionrun',
            name='retry_of',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='retries', to='knowledge.ingestionrun'),
        ),
        migrations.AddField(
            model_name='ingestionrun',
            name='setbacks',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, help_text='How often it was set back since it last got further.'),
        ),
        migrations.AlterField(
            model_name='document',
            name='attempts',
            field=models.PositiveSmallIntegerField(default=0, help_text='How often work on the claimed version began without an end.'),
        ),
        migrations.AlterField(
            model_name='document',
            name='lease_until',
            field=models.DateTimeField(blank=True, help_text='Somebody works on it until then, unless renewed.', null=True),
        ),
    ]
