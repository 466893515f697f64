import pytest
from hypothesis import given
from hypothesis import strategies as st

from crmind.postgres.tuning import GIGABYTE, MEGABYTE, tune


def size(setting: str) -> int:
    assert setting.endswith("MB")
    return int(setting.removesuffix("MB")) * MEGABYTE


@pytest.mark.parametrize(
    ("gigabytes", "cores", "expected"),
    [
        # A quarter, a half, a sixteenth and a 256th of the memory.
        (8, 4, ("2048MB", "4096MB", "512MB", "32MB", "2")),
        # The upper bounds: models and web workers need the rest.
        (64, 16, ("8192MB", "32768MB", "1024MB", "64MB", "4")),
        (1, 1, ("256MB", "512MB", "64MB", "4MB", "1")),
    ],
)
def test_tune__memory_and_workers(gigabytes, cores, expected):
    settings = tune(gigabytes * GIGABYTE, cores)
    assert (
        settings["shared_buffers"],
        settings["effective_cache_size"],
        settings["maintenance_work_mem"],
        settings["work_mem"],
        settings["max_parallel_maintenance_workers"],
    ) == expected


def test_tune__durable_on_every_machine():
    settings = tune(GIGABYTE, 1)
    assert {settings[name] for name in ("fsync", "full_page_writes", "synchronous_commit")} == {
        "on"
    }
    assert settings["jit"] == "off"


@pytest.mark.parametrize(
    ("shared_memory_bytes", "kind"),
    [
        (None, "posix"),
        # What containers have by default: a parallel HNSW build does not fit.
        (64 * MEGABYTE, "mmap"),
        (1024 * MEGABYTE - 1, "mmap"),
        (1024 * MEGABYTE, "posix"),
    ],
)
def test_tune__place_of_dynamic_shared_memory(shared_memory_bytes, kind):
    settings = tune(8 * GIGABYTE, 4, shared_memory_bytes=shared_memory_bytes)
    assert settings["dynamic_shared_memory_type"] == kind


@given(
    memory_bytes=st.integers(min_value=0, max_value=1 << 44),
    cores=st.integers(min_value=1, max_value=1024),
)
def test_tune__bounds_for_any_machine(memory_bytes, cores):
    settings = tune(memory_bytes, cores)
    assert 64 * MEGABYTE <= size(settings["shared_buffers"]) <= 8 * GIGABYTE
    assert 64 * MEGABYTE <= size(settings["maintenance_work_mem"]) <= GIGABYTE
    assert 4 * MEGABYTE <= size(settings["work_mem"]) <= 64 * MEGABYTE
    assert 1 <= int(settings["max_parallel_workers_per_gather"]) <= 4
    assert int(settings["max_worker_processes"]) >= int(settings["max_parallel_workers"])
