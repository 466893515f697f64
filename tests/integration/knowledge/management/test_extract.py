import json

from django.core.management import call_command


def test_extract__json_lines(tmp_path, capsys):
    (tmp_path / "good.txt").write_text("Harbour rota")
    (tmp_path / "zero.txt").write_bytes(b"")
    paths = [str(tmp_path / name) for name in ("good.txt", "zero.txt", "absent.txt")]

    call_command("extract", *paths, "--json")

    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [
        {
            "path": path,
            "status": status,
            "reason": reason,
            "encoding": encoding,
            "warnings": [],
            "characters": len(text),
            "text": text,
        }
        for path, (status, reason, encoding, text) in zip(
            paths,
            [
                ("ok", "", "utf-8", "Harbour rota"),
                ("no_text", "The file is empty", "", ""),
                ("refused", "There is no file at this path", "", ""),
            ],
            strict=True,
        )
    ]


def test_extract__table(tmp_path, capsys):
    (tmp_path / "good.txt").write_text("Harbour [bold]rota")
    (tmp_path / "zero.txt").write_bytes(b"")

    call_command("extract", str(tmp_path / "good.txt"), str(tmp_path / "zero.txt"))

    output = capsys.readouterr().out
    assert "The file is empty" in output
    assert "Harbour [bold]rota" in output
    assert output.endswith("1 ok, 1 no_text\n")
