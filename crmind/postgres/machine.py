"""How much memory and how many processors this process may use."""

import os
import shutil
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - looked at, never written
UNLIMITED_BYTES = 1 << 60


def usable_memory_bytes() -> int:
    """Return the machine's memory, or the smaller limit of the control group."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([physical, *control_group_limits(CGROUPS, Path("/proc/self/cgroup"))])


def usable_cores() -> int:
    """Return the processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def shared_memory_bytes() -> int | None:
    """Return the free space for POSIX shared memory, None where it is not a file system."""
    return shutil.disk_usage(SHARED_MEMORY).free if SHARED_MEMORY.is_dir() else None


def control_group_limits(root: Path, membership: Path) -> list[int]:
    """Read the memory limits of the control groups this process is in, versions 1 and 2."""
    limits = []
    for group in own_groups(root, membership):
        for name in ("memory.max", "memory.high", "memory.limit_in_bytes"):
            limit = read_limit(group / name)
            if limit is not None:
                limits.append(limit)
    return limits


def own_groups(root: Path, membership: Path) -> list[Path]:
    """List the directories of the process's memory groups, with all their ancestors."""
    groups = [root, root / "memory"]
    try:
        lines = membership.read_text().splitlines()
    except OSError:
        return groups
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        base = root / "memory" if controllers else root
        own = Path(path.lstrip("/"))
        groups += [base / own, *(base / parent for parent in own.parents)]
    return groups


def read_limit(path: Path) -> int | None:
    """Return the limit in a control group's file, None where there is none."""
    try:
        value = path.read_text().strip()
    except OSError:
        return None
    if not value.isdigit() or int(value) >= UNLIMITED_BYTES:
        return None
    return int(value)
