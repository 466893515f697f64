"""Entities in the admin: names that look like others."""

import pytest

from knowledge.models import Entity

ADD = "/admin/knowledge/entity/add/"


def add(curator, **values):
    given = {"kind": "company", "external_id": "", "aliases": "", "domains": "", **values}
    response = curator.post(ADD, given, follow=True)
    return [str(message) for message in response.context["messages"]]


@pytest.mark.parametrize(
    "values", [{"name": "p\u0430ypal"}, {"name": "Paypal", "aliases": "p\u0430ypal"}]
)
def test_add__a_name_of_two_alphabets_is_flagged(curator, values):
    told = add(curator, **values)

    assert "Mixed alphabets: 'p\u0430ypal' holds Cyrillic small letter a" in told
    assert Entity.objects.count() == 1


def test_add__a_name_of_one_alphabet_is_not(curator):
    assert not any("alphabets" in message for message in add(curator, name="Договор ООО"))
