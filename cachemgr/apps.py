"""Configuration of the cachemgr app."""

from django.apps import AppConfig
from django.db.models.signals import post_save


class CachemgrConfig(AppConfig):
    """Registers the app and listens to changes of knowledge."""

    name = "cachemgr"
    verbose_name = "Answers"

    def ready(self) -> None:
        """Connect the receivers."""
        from cachemgr.receivers import (  # noqa: PLC0415 # models must be loaded
            count_answers,
            forget_answers,
            invalidate_on_change,
            invalidate_on_switch,
        )
        from cachemgr.services.vector_index import (  # noqa: PLC0415 # as above
            create_index_of_new_space,
        )
        from knowledge.models import EmbeddingSpace  # noqa: PLC0415 # as above
        from knowledge.signals import (  # noqa: PLC0415 # as above
            answers_counted,
            answers_unwanted,
            content_changed,
            space_switched,
        )

        post_save.connect(
            create_index_of_new_space,
            sender=EmbeddingSpace,
            dispatch_uid="cachemgr.create_index_of_new_space",
        )
        content_changed.connect(invalidate_on_change, dispatch_uid="cachemgr.invalidate_on_change")
        space_switched.connect(invalidate_on_switch, dispatch_uid="cachemgr.invalidate_on_switch")
        answers_counted.connect(count_answers, dispatch_uid="cachemgr.count_answers")
        answers_unwanted.connect(forget_answers, dispatch_uid="cachemgr.forget_answers")
