"""Runs every regular expression of the product over hostile texts and names the slow ones.

A program of its own: an expression that backtracks without end can only be stopped from outside.
`python -m tests.unit.hostile_text`
"""

import importlib
import inspect
import json
import os
import pkgutil
import re
import signal
import sys
from collections import deque

import django

PACKAGES = ("crmind", "knowledge", "retrieval", "cachemgr")
LENGTH = 100_000
# Of the processor. What is quadratic needs minutes, what is linear milliseconds.
LIMIT_SECONDS = 10
ANCHORED = {"match", "fullmatch", "pattern"}

UNITS = (
    *"a1 -._'\"([<*\n",
    *(
        "é",
        "あ",
        "\u0301",
        "a ",
        "1 ",
        "a-",
        "1.",
        "1,111",
        "a@",
        "a'b",
        "[1",
        "1,1",
        "](",
        "![",
        "[a](",
    ),
    *(
        "<a ",
        "<!--",
        "\n ",
        " \n",
        "---\n",
        "| ",
        "# ",
        "1) ",
        "\\'83",
        "{\\",
        "A: a\n",
        "&#1",
        "http://",
    ),
    *("of the ", "since ", "from ", "2031-01-01", "$1 ", "10 kg ", '"a', "“"),
)
# What most expressions do not end with, so that all ways to match are tried.
TAIL = "!>"


def hostile_texts():
    return [(unit * (LENGTH // len(unit) + 1))[:LENGTH] + TAIL for unit in UNITS]


def compiled_patterns():
    """Return (module, pattern) of all that the packages compile when they are imported."""
    found = []
    compile_really = re.compile

    def record(pattern, flags=0):
        compiled = compile_really(pattern, flags)
        module = sys._getframe(1).f_globals.get("__name__", "")
        if module.split(".")[0] in PACKAGES:
            found.append((module, compiled))
        return compiled

    re.compile = record
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crmind.settings")
    django.setup()
    for package in PACKAGES:
        for module in pkgutil.walk_packages([package], f"{package}."):
            if ".migrations." not in module.name and not module.name.endswith("sgi"):
                importlib.import_module(module.name)
    re.compile = compile_really
    return found


def methods_of(module, pattern):
    """Return the methods that a module calls on the pattern; all that search where it has no name.

    A pattern that is only matched at one place may be slow to search for.
    """
    names = [name for name, value in vars(sys.modules[module]).items() if value is pattern]
    source = inspect.getsource(sys.modules[module])
    called = {
        method
        for name in names
        for method in re.findall(rf"\b{re.escape(name)}\.([a-z]+)\(", source)
    }
    searches = {"finditer"} if called - ANCHORED or not called else set()
    return called & {"match", "fullmatch"} | searches


class SlowError(Exception):
    """An expression did not come to an end in time."""


def stop(*_):
    raise SlowError


def use_up(pattern, text, methods):
    """Run the pattern over the text as the product does."""
    if isinstance(pattern.pattern, bytes):
        text = text.encode("utf-8", "surrogatepass")
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT_SECONDS)
    try:
        for method in methods:
            found = getattr(pattern, method)(text)
            if method == "finditer":
                deque(found, maxlen=0)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def main():
    patterns = compiled_patterns()
    signal.signal(signal.SIGVTALRM, stop)
    texts = hostile_texts()
    slow = []
    for module, pattern in patterns:
        methods = methods_of(module, pattern)
        for text in texts:
            try:
                use_up(pattern, text, methods)
            except SlowError:
                slow.append([module, str(pattern.pattern), text[:12]])
                break
    sys.stdout.write(json.dumps({"patterns": len(patterns), "slow": slow}))


if __name__ == "__main__":
    main()
