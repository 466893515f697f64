"""Languages as PostgreSQL's text search configurations name them."""

from django.db import connection

CONFIGURATION_BY_CODE = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nb": "norwegian",
    "ne": "nepali",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}


def configuration_name(language: str) -> str:
    """Return the configuration of a language given by its name or as a code such as `de-AT`."""
    name = language.strip().lower()
    code = name.replace("_", "-").split("-")[0]
    return CONFIGURATION_BY_CODE.get(code, name)


def text_search_configurations() -> frozenset[str]:
    """Return the configurations that the database has."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT cfgname FROM pg_ts_config WHERE pg_ts_config_is_visible(oid)")
        return frozenset(name for (name,) in cursor.fetchall())
