"""Configuration of the cachemgr app."""

from django.apps import AppConfig


class CachemgrConfig(AppConfig):
    """Registers the app and listens to changes of knowledge."""

    name = "cachemgr"
    verbose_name = "Answers"

    def ready(self) -> None:
        """Connect the receivers."""
        from cachemgr.receivers import invalidate_on_change  # noqa: PLC0415 # models must be loaded
        from knowledge.signals import content_changed  # noqa: PLC0415 # as above

        content_changed.connect(invalidate_on_change, dispatch_uid="cachemgr.invalidate_on_change")
