"""Requests at once: bounded, without those that stepped aside."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, Lock

import pytest
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpResponse

from crmind.workload import WorkloadMiddleware, step_aside


def test_workload__without_a_bound(settings):
    settings.REQUESTS_AT_ONCE = 0
    with pytest.raises(MiddlewareNotUsed):
        WorkloadMiddleware(lambda request: HttpResponse())


def test_workload__no_more_than_the_bound(settings):
    settings.REQUESTS_AT_ONCE = 2
    lock, working, most = Lock(), 0, 0
    together = Barrier(2)

    def work(request):
        nonlocal working, most
        with lock:
            working += 1
            most = max(most, working)
        together.wait(timeout=30)
        with lock:
            working -= 1
        return HttpResponse()

    middleware = WorkloadMiddleware(work)
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(middleware, range(8)))
    assert (len(replies), most) == (8, 2)


def test_step_aside__lets_another_request_work(settings):
    settings.REQUESTS_AT_ONCE = 1
    is_stored = Event()

    def serve(request):
        if request == "wait":
            with step_aside():
                assert is_stored.wait(timeout=30)
        else:
            is_stored.set()
        return HttpResponse(request)

    middleware = WorkloadMiddleware(serve)
    with ThreadPoolExecutor(2) as pool:
        waiting = pool.submit(middleware, "wait")
        assert pool.submit(middleware, "store").result(timeout=30).content == b"store"
        assert waiting.result(timeout=30).content == b"wait"


def test_step_aside__outside_of_a_request():
    with step_aside():
        pass


def test_workload__a_failing_request_gives_its_place_back(settings):
    settings.REQUESTS_AT_ONCE = 1

    def fail(request):
        raise ZeroDivisionError

    middleware = WorkloadMiddleware(fail)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            middleware(None)
