"""Links to "Try a question" from what changes its outcome."""

from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString


def try_links(*choices: tuple[str, dict[str, str]]) -> SafeString:
    """Return links to the preview, each by its words and what it is asked with."""
    page = reverse("preview")
    links = ((f"{page}?{urlencode(parameters)}", words) for words, parameters in choices)
    return format_html_join(SafeString("<br>"), '<a class="text-link" href="{}">{}</a>', links)
