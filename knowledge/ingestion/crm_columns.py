"""Which columns of a CRM's export say what of an account, contact, deal or product.

The headers are those of HubSpot's and Salesforce's exports (its reports and its data loader).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from knowledge.exceptions import MappingError

COMPANY, PERSON, DEAL, PRODUCT = "company", "person", "deal", "product"
KINDS = (COMPANY, PRODUCT, PERSON, DEAL)
FIELDS = ("external_id", "name", "aliases", "domains", "parent")

# Header names without case and signs, best first.
_ID = ("recordid", "externalid", "uuid", "id")
_GUESSES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    COMPANY: {
        "external_id": ("companyid", "accountid", "clientid", "customerid", *_ID),
        "name": ("companyname", "accountname", "businessname", "customername", "name", "account"),
        "aliases": ("alias", "aliases", "othernames", "legalname", "tradingname", "tickersymbol"),
        "domains": (
            "companydomainname", "domain", "domains", "website", "websiteurl", "url", "homepage",
        ),
        "parent": (
            "parentaccountid", "parentcompanyid", "parentid", "parentaccount", "parentcompany",
        ),
    },
    PERSON: {
        "external_id": ("contactid", "leadid", "customerid", *_ID),
        "name": ("fullname", "contactname", "customername", "name"),
        "aliases": ("email", "emailaddress", "workemail", "additionalemailaddresses"),
        "parent": (
            "primaryassociatedcompanyid", "associatedcompanyids", "associatedcompanyid",
            "accountid", "companyid", "primaryassociatedcompany", "associatedcompany",
            "accountname", "companyname", "account", "company",
        ),
    },
    DEAL: {
        "external_id": ("dealid", "opportunityid", *_ID),
        "name": ("dealname", "opportunityname", "name"),
        "parent": (
            "primaryassociatedcompanyid", "associatedcompanyids", "associatedcompanyid",
            "accountid", "companyid", "primaryassociatedcompany", "associatedcompany",
            "accountname", "companyname", "account", "company",
        ),
    },
    PRODUCT: {
        "external_id": ("productid", "sku", "productcode", "hssku", *_ID),
        "name": ("productname", "name"),
        "aliases": ("sku", "productcode"),
    },
}  # fmt: skip

_SIGNS: tuple[tuple[str, frozenset[str]], ...] = (
    (DEAL, frozenset({"dealname", "dealstage", "opportunityname", "opportunityid", "stagename"})),
    (PERSON, frozenset({"firstname", "lastname", "contactid", "contactname"})),
    (PRODUCT, frozenset({"productid", "productname", "productcode"})),
    (
        COMPANY,
        frozenset(
            {"companyname", "companydomainname", "accountname", "website", "businessname", "domain"}
        ),
    ),
)
_NOT_IN_KEY = re.compile(r"[\W_]+")
_DOMAIN = re.compile(
    r"(?:https?://)?(?:www\.)?((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,})", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrmColumns:
    """The columns of each field; several are tried in order, those of a name are joined."""

    kind: str
    by_field: Mapping[str, tuple[str, ...]]

    def values(self, row: Mapping[str, str], field: str) -> list[str]:
        """Return what the row says for a field, one per column that says something."""
        found = (row.get(column, "").strip() for column in self.by_field.get(field, ()))
        return [value for value in found if value]


def guess_kind(columns: Iterable[str]) -> str:
    """Return what the rows of these columns are. Raises MappingError where that is not clear."""
    keys = {header_key(column) for column in columns}
    for kind, signs in _SIGNS:
        if keys & signs:
            return kind
    message = f"kind: these columns do not tell; name one of {', '.join(KINDS)} by --kind."
    raise MappingError(message, field="kind")


def find_columns(
    columns: Sequence[str], *, kind: str, mapping: Mapping[str, str] | None = None
) -> CrmColumns:
    """Return the columns of each field, those of `mapping` first. Raises MappingError."""
    by_key = {header_key(column): column for column in reversed(columns)}
    found = {
        field: tuple(by_key[key] for key in keys if key in by_key)
        for field, keys in _GUESSES[kind].items()
    }
    if kind == PERSON and "firstname" in by_key and "lastname" in by_key:
        found["name"] = (by_key["firstname"], by_key["lastname"])
    elif found.get("name"):
        found["name"] = found["name"][:1]
    for field, column in (mapping or {}).items():
        found[field] = tuple(_existing(part.strip(), by_key, columns) for part in column.split("+"))
    if not found.get("name"):
        message = f"map: no column holds the name; the columns are {', '.join(columns)}"
        raise MappingError(message, field="map")
    return CrmColumns(kind=kind, by_field=found)


def parse_crm_mapping(arguments: Iterable[str]) -> dict[str, str]:
    """Read `FIELD=COLUMN` arguments. Raises MappingError naming the one that is wrong."""
    mapping: dict[str, str] = {}
    for argument in arguments:
        field, _, column = (part.strip() for part in argument.partition("="))
        if field not in FIELDS or not column:
            message = f"map: {argument!r} is not FIELD=COLUMN; fields are {', '.join(FIELDS)}"
            raise MappingError(message, field="map")
        mapping[field] = column
    return mapping


def header_key(column: str) -> str:
    """Return a header without case and signs."""
    return _NOT_IN_KEY.sub("", column).casefold()


def domain_of(written: str) -> str:
    """Return the internet domain that an address is at, empty where there is none."""
    match = _DOMAIN.match(written.strip().rpartition("@")[2])
    return match[1].lower() if match else ""


def _existing(column: str, by_key: Mapping[str, str], columns: Sequence[str]) -> str:
    if header_key(column) not in by_key:
        message = f"map: no column {column!r}; the columns are {', '.join(columns)}"
        raise MappingError(message, field="map")
    return by_key[header_key(column)]
