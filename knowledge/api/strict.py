"""Input serializers that refuse what they do not know."""

from typing import Any

from rest_framework import serializers


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses unknown keys: a misspelt filter must never mean "no filter"."""

    def to_internal_value(self, data: Any) -> Any:
        """Return the validated values. Raises ValidationError naming each unknown key."""
        if isinstance(data, dict):
            unknown = sorted(set(data) - set(self.fields), key=str)
            if unknown:
                known = ", ".join(sorted(self.fields))
                raise serializers.ValidationError(
                    {
                        str(key): serializers.ErrorDetail(
                            f"Unknown key. Allowed: {known}.", code="unknown_key"
                        )
                        for key in unknown
                    }
                )
        return super().to_internal_value(data)


class TextField(serializers.CharField):
    """A string that must be one: numbers and booleans are not taken for text."""

    def to_internal_value(self, data: Any) -> str:
        """Return the text. Raises ValidationError for anything but a string."""
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)
