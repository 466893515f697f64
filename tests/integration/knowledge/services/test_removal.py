"""Case B19, rows T35 and T56: what a source no longer holds."""

import os
import shutil

import pytest
from django.core.management import CommandError, call_command

from knowledge.exceptions import NothingToConfirmError
from knowledge.models import Document, IngestionRun, Source
from knowledge.services.removal import RemovalLimits, confirm_removal, missing_documents
from tests.integration.knowledge.management.test_ingest import ingest


@pytest.fixture
def folder(tmp_path, seeded):
    """Give a folder of 30 documents that was taken in as the source "desk"."""
    folder = tmp_path / "desk"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number:02}.md").write_text(f"Note {number} on the rota")
    assert ingest(folder, source="desk")[0] == 0
    return folder


def searched():
    return Document.objects.exclude(status="retired").count()


def remove(folder, count):
    for number in range(count):
        (folder / f"{number:02}.md").unlink()


def last_run():
    return IngestionRun.objects.first()


def assert_nothing_is_gone_and_the_run_failed(message):
    assert searched() == 30
    run = last_run()
    assert (run.status, run.removed, run.to_remove) == ("failed", 0, 0)
    assert message in run.status_reason
    source = Source.objects.get()
    assert source.health == "failing"
    assert message in source.health_reason


@pytest.mark.parametrize("confirm", [False, True])
def test_empty_folder__nothing_is_gone(folder, confirm):
    remove(folder, 30)

    with pytest.raises(CommandError, match="there are no files"):
        ingest(folder, source="desk", confirm_removal=confirm)

    assert_nothing_is_gone_and_the_run_failed("there are no files")


def test_unmounted_folder__nothing_is_gone(folder):
    shutil.rmtree(folder)

    with pytest.raises(CommandError, match="there is no file or folder"):
        ingest(folder, source="desk")

    assert_nothing_is_gone_and_the_run_failed("there is no file or folder")


def test_unmounted_folder__nothing_is_gone_where_the_source_is_named_alone(folder):
    shutil.rmtree(folder)

    with pytest.raises(CommandError, match="there is no file or folder"):
        call_command("ingest", source="desk")

    assert searched() == 30


def test_unlisted_folder__nothing_is_gone(folder, monkeypatch):
    (folder / "sub").mkdir()
    remove(folder, 1)
    walk = os.walk

    def walk_with_a_locked_folder(root, onerror):
        for name, folders, files in walk(root):
            yield name, [], files
            if "sub" in folders:
                onerror(PermissionError(13, "Permission denied", str(folder / "sub")))

    monkeypatch.setattr("os.walk", walk_with_a_locked_folder)

    with pytest.raises(CommandError, match="Permission denied"):
        ingest(folder, source="desk", allow_failures=True)

    assert Document.objects.filter(status="ready").count() == 30
    assert (last_run().status, last_run().removed) == ("failed", 0)


def test_three_of_thirty__are_taken_out_and_come_back(folder):
    remove(folder, 3)

    code, output = ingest(folder, source="desk")

    assert code == 0
    assert output.splitlines()[-1] == "3 gone from the source, taken out"
    assert searched() == 27
    run = last_run()
    assert (run.status, run.removed, run.seen) == ("done", 3, 27)
    assert list(run.log.values_list("external_id", flat=True)) == ["00.md", "01.md", "02.md"]
    gone = Document.objects.get(external_id="00.md")
    assert (gone.status, gone.status_reason) == ("retired", "It is gone from its source.")

    (folder / "00.md").write_text("Note 0 on the rota")
    code, output = ingest(folder, source="desk")

    assert code == 0
    back = Document.objects.get(external_id="00.md")
    assert (back.status, back.missing_since) == ("ready", None)
    assert searched() == 28


def test_what_a_curator_retired__stays_so(folder):
    Document.objects.filter(external_id="00.md").update(status="retired", status_reason="")

    ingest(folder, source="desk")

    assert Document.objects.get(external_id="00.md").status == "retired"


def test_four_of_thirty__wait_for_a_yes(folder):
    remove(folder, 4)

    code, output = ingest(folder, source="desk")

    assert code == 4
    assert "4 gone from the source, still searched: say --confirm-removal" in output
    assert searched() == 30
    run = last_run()
    assert (run.status, run.removed, run.to_remove) == ("unconfirmed", 0, 4)
    assert "more than 50 or 10%" in run.status_reason
    assert [each.external_id for each in missing_documents(run)] == [
        "00.md", "01.md", "02.md", "03.md",
    ]  # fmt: skip

    (folder / "03.md").write_text("It was only being moved")
    (folder / "03.md").touch()
    assert ingest(folder, source="desk")[0] == 0
    run.refresh_from_db()
    assert (run.status, run.to_remove) == ("done", 0)
    with pytest.raises(NothingToConfirmError):
        confirm_removal(run=run)
    assert searched() == 27


def test_four_of_thirty__confirmed_in_the_run(folder):
    remove(folder, 4)
    ingest(folder, source="desk")
    run = last_run()

    assert confirm_removal(run=run) == 4

    run.refresh_from_db()
    assert (run.status, run.removed, run.to_remove) == ("done", 4, 0)
    assert searched() == 26
    with pytest.raises(NothingToConfirmError):
        confirm_removal(run=run)


def test_four_of_thirty__confirmed_at_once(folder):
    remove(folder, 4)

    code = ingest(folder, source="desk", confirm_removal=True)[0]

    assert (code, searched(), last_run().removed) == (0, 26, 4)


def test_new_documents_do_not_make_a_large_removal_look_small(folder):
    remove(folder, 20)
    for number in range(200, 500):
        (folder / f"{number}.md").write_text(f"Another {number}")

    assert ingest(folder, source="desk")[0] == 4

    assert searched() == 330


def test_dry_run__tells_and_takes_out_nothing(folder):
    remove(folder, 3)

    output = ingest(folder, source="desk", dry_run=True)[1]

    assert output.splitlines()[-1] == "3 gone from the source"
    assert searched() == 30


def test_other_folder__adds_and_takes_out_nothing(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.md").write_text("Elsewhere")

    assert ingest(other, source="desk")[0] == 0
    assert searched() == 31
    remove(folder, 1)
    assert ingest(folder, source="desk")[0] == 0

    assert searched() == 30
    assert Document.objects.get(external_id="x.md").status == "ready"


@pytest.fixture
def export(tmp_path, seeded):
    path = tmp_path / "tickets.jsonl"
    path.write_text("".join(f'{{"id": "T-{n}", "body": "Ticket {n}"}}\n' for n in range(30)))
    assert ingest(path, source="desk")[0] == 0
    return path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "could not be read"),
        (b"\n\n", "could not be read"),
        (b'{"id": "T-0", "body": "Ticket 0"}\n{"id": "T-1", "bo', "1 rows"),
        (b"\x00" * 500, "could not be read"),
    ],
)
def test_damaged_export__nothing_is_gone(export, content, message):
    export.write_bytes(content)

    with pytest.raises(CommandError, match=message):
        ingest(export, source="desk", allow_failures=True)

    assert Document.objects.filter(status="ready").count() == 30
    assert last_run().status == "failed"


def test_damaged_export_among_other_files__is_told_and_nothing_is_gone(folder):
    """One bad row is no reason to call the check of a whole folder failed."""
    (folder / "tickets.jsonl").write_text('{"id": "T-0", "body": "Ticket 0"}\n{"id": "T-1", "bo')
    remove(folder, 1)

    assert ingest(folder, source="desk")[0] == 0

    assert searched() == 31
    run = last_run()
    assert (run.status, run.removed) == ("done", 0)
    told = " ".join(run.log.values_list("message", flat=True))
    assert "1 rows of tickets.jsonl could not be read." in told
    assert "so nothing was taken out" in told


def test_cut_export__waits_for_a_yes(export):
    export.write_text("".join(export.read_text().splitlines(keepends=True)[:20]))

    assert ingest(export, source="desk")[0] == 4

    assert searched() == 30


@pytest.mark.parametrize(
    ("missing", "known", "exceeded"),
    [
        (0, 0, False),
        (3, 30, False),
        (4, 30, True),
        (50, 500, False),
        (51, 5_000, True),
        (1, 9, True),
    ],
)
def test_removal_limits__share_and_number(missing, known, exceeded):
    limits = RemovalLimits(max_share=0.1, max_documents=50)

    assert limits.exceeded_by(missing, of=known) == exceeded
