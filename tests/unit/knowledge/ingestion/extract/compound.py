"""Writes a compound file, the container of Outlook messages, of a few small streams."""

import struct

SECTOR = 512
FREE, END, TABLE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
ROOT, STORAGE, STREAM = 5, 1, 2
# Streams below this size would have to be packed into a table of their own.
LEAST_STREAM = 4096
PROPERTIES = "__properties_version1.0"


def outlook_message(texts, attachments=()):
    """Build a .msg of texts by property, such as {"0037": "Subject"}, and (name, bytes) pairs."""
    tree = {PROPERTIES: bytes(32), **_texts(texts)}
    for number, (name, content) in enumerate(attachments):
        tree[f"__attach_version1.0_#{number:08X}"] = {
            PROPERTIES: bytes(8),
            "__substg1.0_37010102": content,
            **_texts({"3707": name}),
        }
    return _compound(tree)


def _texts(texts):
    return {f"__substg1.0_{code}001F": text.encode("utf-16-le") for code, text in texts.items()}


def _compound(tree):
    """Lay out mini streams in the stream of the root; all tables take one sector each or more."""
    entries = [["Root Entry", ROOT, FREE, END, 0]]
    mini, mini_table = bytearray(), []
    entries[0][2] = _add(tree, entries, mini, mini_table)
    entries[0][3:] = [0, len(mini)]
    parts = [
        _padded(bytes(mini)),
        _padded(struct.pack(f"<{len(mini_table)}I", *mini_table), b"\xff"),
        _padded(b"".join(_entry(*each) for each in entries)),
    ]
    table, starts = [], []
    for part in parts:
        starts.append(len(table))
        count = len(part) // SECTOR
        table += [*range(len(table) + 1, len(table) + count), END]
    table_sector = len(table)
    table.append(TABLE)
    assert len(table) <= SECTOR // 4
    header = struct.pack(
        "<8s16s6H10I",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 0x3E, 3, 0xFFFE, 9, 6, 0,
        0, 0, 1, starts[2], 0, LEAST_STREAM, starts[1], len(parts[1]) // SECTOR, END, 0,
    )  # fmt: skip
    header += struct.pack("<109I", table_sector, *[FREE] * 108)
    return header + b"".join(parts) + _padded(struct.pack(f"<{len(table)}I", *table), b"\xff")


def _add(tree, entries, mini, mini_table):
    """Add the entries of a storage as a chain to the right; return the first."""
    # The order of a directory: by length, then by letters.
    numbers = []
    for name in sorted(tree, key=lambda name: (len(name), name.upper())):
        numbers.append(len(entries))
        entries.append([name, STREAM, FREE, END, 0])
        if isinstance(tree[name], dict):
            entries[numbers[-1]][1] = STORAGE
            entries[numbers[-1]][2] = _add(tree[name], entries, mini, mini_table)
            entries[numbers[-1]][3] = 0
            continue
        content = tree[name]
        assert len(content) < LEAST_STREAM
        count = -(-len(content) // 64)
        start = len(mini_table)
        entries[numbers[-1]][3:] = [start if count else END, len(content)]
        mini_table += [*range(start + 1, start + count), END] if count else []
        mini += content.ljust(count * 64, b"\x00")
    for number, following in zip(numbers, [*numbers[1:], FREE], strict=True):
        entries[number].append(following)
    return numbers[0] if numbers else FREE


def _entry(name, kind, child, start, size, right=FREE):
    encoded = name.encode("utf-16-le") + b"\x00\x00"
    return struct.pack(
        "<64sHBB3I16sI8s8sIQ",
        encoded, len(encoded), kind, 1, FREE, right, child, b"", 0, b"", b"", start, size,
    )  # fmt: skip


def _padded(content, filler=b"\x00"):
    return content.ljust(max(1, -(-len(content) // SECTOR)) * SECTOR, filler)
