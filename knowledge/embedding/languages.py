"""Which texts a model was never taught to understand."""

# Trained on pairs of English texts; of other languages it knows the words they share with English.
ENGLISH_ONLY = frozenset({"all-MiniLM-L6-v2"})
ENGLISH = frozenset({"english", "simple"})
SAMPLE_CHARACTERS = 2_000
_LAST_LATIN = "\u024f"


def is_foreign(text: str, *, language: str, model: str) -> bool:
    """Tell whether a text is in a language that the model does not know.

    `language` is the text search configuration; where it says English, a script may give it away.
    """
    if model not in ENGLISH_ONLY:
        return False
    if language not in ENGLISH:
        return True
    letters = [letter for letter in text[:SAMPLE_CHARACTERS] if letter.isalpha()]
    return sum(letter > _LAST_LATIN for letter in letters) * 2 > len(letters)
