"""Configuration of the retrieval app."""

from django.apps import AppConfig


class RetrievalConfig(AppConfig):
    """Registers the app."""

    name = "retrieval"
    verbose_name = "Ranking and quality"

    def ready(self) -> None:
        """Connect the receivers."""
        from knowledge.signals import spaces_compared  # noqa: PLC0415 # models must be loaded
        from retrieval.evaluation.spaces import (  # noqa: PLC0415 # as above
            compare_on_golden_set,
        )

        spaces_compared.connect(
            compare_on_golden_set, dispatch_uid="retrieval.compare_on_golden_set"
        )
