"""Language: told by everyday words, left open in doubt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachemgr.language import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Who owns the Acme account?", "en"),
        ("Wer betreut den Kunden Acme?", "de"),
        ("Gibt es keinen Rabatt für Schulen?", "de"),
        ("Quel est le prix de la licence ?", "fr"),
        ("Combien coûte la licence ?", "fr"),
        ("¿Cuánto cuesta la licencia?", "es"),
        ("Quién es nuestro contacto", "es"),
        ("refund policy", ""),
        ("Los Angeles opening hours", ""),
        ("", ""),
        ("契約の価値", ""),
    ],
)
def test_detect_language(text, language):
    assert detect_language(text) == language


@given(st.text(max_size=80))
def test_detect_language__knows_four(text):
    assert detect_language(text) in {"", "en", "de", "fr", "es"}
