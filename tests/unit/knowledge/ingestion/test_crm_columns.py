import pytest

from knowledge.exceptions import MappingError
from knowledge.ingestion.crm_columns import domain_of, find_columns, guess_kind


@pytest.mark.parametrize(
    ("columns", "kind"),
    [
        (["Record ID", "Company name", "Company Domain Name"], "company"),
        (["Account ID", "Account Name", "Billing City"], "company"),
        (["Record ID", "First Name", "Last Name", "Company name"], "person"),
        (["Contact ID", "Account Name", "Email"], "person"),
        (["Record ID", "Deal Name", "Associated Company"], "deal"),
        (["Opportunity Name", "Account Name", "Stage"], "deal"),
        (["ID", "STAGENAME", "ACCOUNTID", "NAME"], "deal"),
        (["Product Code", "Product Name"], "product"),
    ],
)
def test_guess_kind__by_the_headers_of_exports(columns, kind):
    assert guess_kind(columns) == kind


def test_guess_kind__not_told():
    with pytest.raises(MappingError, match="name one of company, product, person, deal"):
        guess_kind(["id", "name"])


@pytest.mark.parametrize(
    ("written", "domain"),
    [
        ("https://www.Hollis.example/en?x=1", "hollis.example"),
        ("hollis.example", "hollis.example"),
        ("http://shop.hollis.co.uk:8080", "shop.hollis.co.uk"),
        ("info@hollis.example", "hollis.example"),
        ("hollis", ""),
        ("", ""),
        ("n/a", ""),
    ],
)
def test_domain_of(written, domain):
    assert domain_of(written) == domain


def test_find_columns__the_best_first_and_names_joined():
    columns = find_columns(
        ["LastName", "First name", "Name", "ACCOUNTID", "Company"], kind="person"
    )
    row = {"LastName": "Lee", "First name": "Dana", "ACCOUNTID": " ", "Company": "Hollis"}

    assert columns.values(row, "name") == ["Dana", "Lee"]
    assert columns.values(row, "parent") == ["Hollis"]
    assert columns.values(row, "domains") == []
