"""API keys: who calls, and what they may read."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework_api_key.permissions import KeyParser

from knowledge.models import ApiKey


class ApiKeyAuthentication(BaseAuthentication):
    """Reads `Authorization: Api-Key <key>`; `request.auth` is then the ApiKey."""

    def authenticate(self, request: Request) -> tuple[None, ApiKey] | None:
        """Return the client, None without a key. Raises AuthenticationFailed for a wrong one."""
        key = KeyParser().get(request)
        if not key:
            return None
        try:
            client = ApiKey.objects.get_from_key(key)
        except ApiKey.DoesNotExist:
            client = None
        if client is None or client.has_expired:
            message = "The API key is not valid. Ask an administrator for a new one."
            raise AuthenticationFailed(message, code="invalid_api_key")
        return None, client  # type: ignore[return-value] # the manager is typed for the base class

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge that makes a missing key a 401."""
        return "Api-Key"


class ApiKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call] # as the library has it
    """Tells the API's schema how a key is sent."""

    target_class = ApiKeyAuthentication
    name = "ApiKey"

    def get_security_definition(self, _auto_schema: Any) -> dict[str, str]:
        """Return the header that carries the key."""
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "`Api-Key` and a space before the key.",
        }


class HasApiKey(BasePermission):
    """Every client with a valid key may read."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return isinstance(request.auth, ApiKey)


class HasWriteKey(HasApiKey):
    """Reading needs a key, writing one that may write."""

    message = "This API key may only read. Use one that may write."
    code = "read_only_api_key"

    def has_permission(self, request: Request, view: Any) -> bool:
        if not super().has_permission(request, view):
            return False
        return request.method in SAFE_METHODS or bool(getattr(request.auth, "can_write", False))
