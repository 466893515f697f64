"""The commands of the page on importing a CRM, run on a small company of our own."""

import gzip
import io
import json
import re
import shlex
from pathlib import Path

import pytest
from django.core.management import call_command

from knowledge.models import Document, Entity

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "import-crm.md"
EXAMPLE = "## An example from end to end"
COMMAND = re.compile(r"^\$ \S+ manage\.py ((?:.*\\\n)*.*)$", re.MULTILINE)

CLIENT, PERSON = "c-1", "p-1"
EXPORTS = {
    "clients": [
        {"client_id": CLIENT, "business_name": "Delacruz Group", "contact_person_id": PERSON,
         "contact_person_name": "Mark Diaz", "contact_email": "mark@delacruz.example",
         "current_POC_product": "Route Planner", "POC_status": "accepted",
         "engagement_description": "A trial in two depots.", "onboarding_date": "2031-06-22"},
    ],
    "vendors": [{"client_id": "CLNT-1", "business_name": "Quern Haulage"}],
    "products": [{"product_id": "B1", "product_name": "Oil pastels, 50 shades"}],
    "customers": [{"customer_id": "arout", "customer_name": "thomas hardy"}],
    "employees": [{"emp_id": "emp_1178", "Name": "Ethan Reynolds", "email": "er@corvane.example"}],
    "it_tickets": [
        {"id": "717", "raised_by_emp_id": "emp_1178", "emp_id": "emp_0750",
         "assigned_date": "2031-10-10", "Issue": "The VPN drops.", "Resolution": "Restarted."},
    ],
    "support_chats": [
        {"chat_id": "0", "product_id": "B1", "product_name": "Oil pastels, 50 shades",
         "customer_id": "arout", "interaction_date": "2031-02-03", "text": "They break."},
    ],
    "sales": [
        {"sales_record_id": 7, "product_id": "B1", "customer_id": "arout", "actual_price": "9",
         "Date_of_Purchase": "2031-01-30"},
    ],
}  # fmt: skip


@pytest.fixture
def exports(tmp_path, monkeypatch):
    """Lie as the page says: packed JSON lines in `crm`, and the list of companies."""
    folder = tmp_path / "crm"
    folder.mkdir()
    for name, rows in EXPORTS.items():
        content = "\n".join(map(json.dumps, rows)).encode()
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(content))
    (folder / "sp500_constituents.csv").write_text("Symbol,Security,CIK\nQM,Quern Mills,66740\n")
    monkeypatch.chdir(tmp_path)


def test_commands__take_a_company_in_and_answer(exports, db):
    call_command("seed", stdout=io.StringIO())
    written = PAGE.read_text(encoding="utf-8").partition(EXAMPLE)[2]
    output = io.StringIO()
    for command in COMMAND.findall(written):
        name, *arguments = shlex.split(command.replace("\\\n", ""))
        call_command(name, *arguments, stdout=output)

    entities = Entity.objects.values_list("kind", "name", "external_id", "parent__name")
    assert set(entities) == {
        ("company", "Quern Mills", "66740", None),
        ("company", "Delacruz Group", CLIENT, None),
        ("company", "Quern Haulage", "CLNT-1", None),
        ("product", "Oil pastels, 50 shades", "B1", None),
        ("person", "thomas hardy", "arout", None),
        ("person", "Ethan Reynolds", "emp_1178", None),
        ("person", "Mark Diaz", PERSON, "Delacruz Group"),
        ("deal", "Delacruz Group Route Planner", "", "Delacruz Group"),
    }
    documents = Document.objects.order_by("source__name")
    about = {each.source.name: {str(one) for one in each.entities.all()} for each in documents}
    assert about == {
        "chats": {"thomas hardy", "Oil pastels, 50 shades"},
        "it-desk": {"Ethan Reynolds"},
        "opportunities": {"Delacruz Group", "Mark Diaz"},
    }
    assert "1 would be indexed, 0 need attention (1 added" in output.getvalue()
    assert output.getvalue().count("Delacruz Group\n") == 2
