"""Descriptions of pictures: text that stands where no reader of the page sees it."""

import re

_FILE_NAME = re.compile(r"^[\w.\- ]*\.\w{2,4}$|^\w*$")


def picture_note(description: str) -> str:
    """Return a description marked as one; nothing for file names, a sign such as a tick as it is.

    Who reads the text, a language model too, then knows that the page does not show it.
    """
    words = " ".join(description.split())
    if _FILE_NAME.match(words):
        return ""
    return f"(picture: {words})" if any(map(str.isalnum, words)) else words
