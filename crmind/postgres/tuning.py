"""Settings of the embedded server for search, from the memory and processors of the machine."""

MEGABYTE = 1 << 20
GIGABYTE = 1 << 30

# Embedding models and the web workers live on the same machine, so the shares stay modest.
SHARED_BUFFERS_SHARE = 4
EFFECTIVE_CACHE_SHARE = 2
MAINTENANCE_SHARE = 16
WORK_SHARE = 256

DURABILITY = {
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
}

FIXED = {
    "max_connections": "200",
    # Indexes are read at random; every current disk does that nearly as fast as in sequence.
    "random_page_cost": "1.1",
    "effective_io_concurrency": "64",
    # Compiling costs more than a search takes.
    "jit": "off",
    "min_wal_size": "256MB",
    "max_wal_size": "2GB",
    "wal_compression": "on",
    "checkpoint_timeout": "15min",
    "checkpoint_completion_target": "0.9",
    "autovacuum_vacuum_scale_factor": "0.1",
    "autovacuum_analyze_scale_factor": "0.05",
    "default_statistics_target": "200",
    "shared_preload_libraries": "pg_stat_statements",
    "pg_stat_statements.max": "1000",
}


def tune(
    memory_bytes: int, cores: int, *, shared_memory_bytes: int | None = None
) -> dict[str, str]:
    """Choose settings for a machine; shared_memory_bytes is what /dev/shm has room for."""
    maintenance = clamp(memory_bytes // MAINTENANCE_SHARE, 64 * MEGABYTE, GIGABYTE)
    parallel = clamp(cores // 2, 1, 4)
    return {
        "shared_buffers": megabytes(
            clamp(memory_bytes // SHARED_BUFFERS_SHARE, 64 * MEGABYTE, 8 * GIGABYTE)
        ),
        "effective_cache_size": megabytes(
            max(memory_bytes // EFFECTIVE_CACHE_SHARE, 128 * MEGABYTE)
        ),
        "maintenance_work_mem": megabytes(maintenance),
        "work_mem": megabytes(clamp(memory_bytes // WORK_SHARE, 4 * MEGABYTE, 64 * MEGABYTE)),
        "max_worker_processes": str(max(8, cores)),
        "max_parallel_workers": str(max(cores, 1)),
        "max_parallel_workers_per_gather": str(parallel),
        "max_parallel_maintenance_workers": str(parallel),
        "dynamic_shared_memory_type": dynamic_shared_memory(maintenance, shared_memory_bytes),
        **FIXED,
        **DURABILITY,
    }


def dynamic_shared_memory(maintenance_bytes: int, available_bytes: int | None) -> str:
    """Choose where parallel workers meet: a parallel HNSW build needs its whole memory there."""
    if available_bytes is not None and available_bytes < 2 * maintenance_bytes:
        return "mmap"
    return "posix"


def clamp(value: int, lowest: int, highest: int) -> int:
    return max(lowest, min(value, highest))


def megabytes(size_bytes: int) -> str:
    return f"{size_bytes // MEGABYTE}MB"
