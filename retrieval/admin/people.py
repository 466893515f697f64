"""Who does what at the admin."""

from django.contrib.auth.models import User
from django.http import HttpRequest


def curator_of(request: HttpRequest) -> User | None:
    """Return the person signed in, as services note them."""
    return request.user if isinstance(request.user, User) else None
