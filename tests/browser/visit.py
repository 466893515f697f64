"""One person's visit to the admin, in a real browser that takes note of whatever goes wrong."""

import os
import re
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

WIDE = {"width": 1400, "height": 900}
NARROW = {"width": 390, "height": 844}
PICTURE = {"width": 1100, "height": 680}
LOOKS: dict[str, tuple[Any, Literal["light", "dark"]]] = {
    "wide-light": (WIDE, "light"),
    "wide-dark": (WIDE, "dark"),
    "narrow-light": (NARROW, "light"),
    "narrow-dark": (NARROW, "dark"),
}
PATIENCE_MS = 40_000
SETTLING_MS = 5_000
ROOT = "document.documentElement"

_LEAVING = "net::ERR_ABORTED"


class Visit:
    """A page of the browser, with what the browser complained about.

    Console errors, dialogs that no test asked for, requests that failed and answers of 400 and
    more are troubles; `check` fails on them.
    """

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.troubles: list[str] = []
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", self._note_console)
        page.on("pageerror", lambda error: self.troubles.append(f"script: {error}"))
        page.on("dialog", self._note_dialog)
        page.on("requestfailed", self._note_failure)
        page.on("response", self._note_answer)

    def open(self, path: str) -> None:
        """Go to an address of the admin and wait until nothing is loading."""
        self.page.goto(f"{self.address}{path}", wait_until="networkidle")

    def press(self, name: str, *, exact: bool = True) -> None:
        """Press the button of that name and wait for what follows."""
        self.page.get_by_role("button", name=name, exact=exact).first.click()
        self.page.wait_for_load_state("networkidle")

    def follow(self, name: str) -> None:
        """Follow the link of that name and wait for its page."""
        self.page.get_by_role("link", name=name).first.click()
        self.page.wait_for_load_state("networkidle")

    def fill(self, label: str, value: str) -> None:
        """Fill the field of that label."""
        self.page.get_by_label(label).first.fill(value)

    def sees(self, text: str | re.Pattern[str]) -> None:
        """Expect the text to be visible."""
        expect(self.page.get_by_text(text).filter(visible=True).first).to_be_visible(
            timeout=PATIENCE_MS
        )

    def look(self, name: str) -> None:
        """Look at the page light and dark, wide and narrow: nothing may stick out sideways.

        Pictures are kept where CRMIND_SCREENSHOTS says.
        """
        for variant, (size, scheme) in LOOKS.items():
            self._paint(scheme)
            self.page.set_viewport_size(size)
            self.page.wait_for_function("() => document.fonts.status === 'loaded'")
            self._keep(f"{name}-{variant}")
            if self._sticks_out():
                self.troubles.append(f"{name}: wider than the window ({variant})")
        self._paint("light")
        self.page.set_viewport_size(WIDE)

    def picture(self, name: str) -> None:
        """Take a picture for the documentation, where CRMIND_PICTURES says where they go."""
        folder = os.environ.get("CRMIND_PICTURES")
        if folder:
            self.page.set_viewport_size(PICTURE)
            self.page.screenshot(path=Path(folder, f"{name}.png"))
            self.page.set_viewport_size(WIDE)

    def check(self) -> None:
        """Fail if the browser had anything to complain about."""
        assert self.troubles == [], "\n".join(self.troubles)

    def _paint(self, scheme: Literal["light", "dark"]) -> None:
        """Change the colours; the theme itself asks the browser only while it loads."""
        self.page.emulate_media(color_scheme=scheme)
        self.page.evaluate(f"{ROOT}.classList.toggle('dark', {str(scheme == 'dark').lower()})")

    def _keep(self, name: str) -> None:
        folder = os.environ.get("CRMIND_SCREENSHOTS")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=Path(folder, f"{name}.png"), full_page=True)

    def _sticks_out(self) -> bool:
        # Charts are drawn anew a while after the window changes.
        try:
            self.page.wait_for_function(
                f"() => {ROOT}.scrollWidth <= {ROOT}.clientWidth", timeout=SETTLING_MS
            )
        except PlaywrightTimeoutError:
            return True
        return False

    def _note_console(self, message: Any) -> None:
        if message.type == "error":
            self.troubles.append(f"console: {message.text}")

    def _note_dialog(self, dialog: Any) -> None:
        self.troubles.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _note_failure(self, request: Any) -> None:
        if request.failure != _LEAVING:
            self.troubles.append(f"{request.method} {request.url}: {request.failure}")

    def _note_answer(self, response: Any) -> None:
        if response.status >= 400:
            self.troubles.append(f"{response.request.method} {response.url}: {response.status}")
