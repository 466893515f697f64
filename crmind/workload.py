"""Bounds how many requests are worked on at once; a request that only waits does not count."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, local

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse

_held = local()


class WorkloadMiddleware:
    """Lets `REQUESTS_AT_ONCE` requests of a process be worked on; 0 is no bound.

    So a server may have many threads for requests that wait, without working on as many.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not settings.REQUESTS_AT_ONCE:
            raise MiddlewareNotUsed
        self._get_response = get_response
        self._places = BoundedSemaphore(settings.REQUESTS_AT_ONCE)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Work on a request once there is a place."""
        with self._places:
            _held.places = self._places
            try:
                return self._get_response(request)
            finally:
                _held.places = None


@contextmanager
def step_aside() -> Iterator[None]:
    """Leave the place of this request to another one for a while."""
    places: BoundedSemaphore | None = getattr(_held, "places", None)
    if places is None:
        yield
        return
    places.release()
    try:
        yield
    finally:
        places.acquire()
