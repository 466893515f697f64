"""Keeps what stays from being looked through again and again for garbage."""

import gc


def settle_memory() -> None:
    """Exempt everything that is loaded by now from garbage collection.

    A full collection walks through all modules, models and their code: that halts every request of
    the process for a tenth of a second, and frees nothing.
    """
    gc.collect()
    gc.freeze()
