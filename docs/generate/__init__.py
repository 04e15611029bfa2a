"""The pages of the reference, written from the code when the site is built.

A page of `docs/` has a line `<!-- generated: NAME -->` where the text of `PAGES[NAME]` goes. The
sentence above it tells a reader of the plain file where to look; the site leaves it out.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from docs.generate.commands import commands_page
from docs.generate.measures import measures_page
from docs.generate.python_api import python_page
from docs.generate.records import records_page
from docs.generate.run_file import run_file_page
from docs.generate.run_tables import run_tables_page
from docs.generate.settings import settings_page

PAGES: dict[str, Callable[[], str]] = {
    "commands": commands_page,
    "measures": measures_page,
    "python": python_page,
    "records": records_page,
    "run file": run_file_page,
    "run tables": run_tables_page,
    "settings": settings_page,
}
_MARKER = re.compile(r"^(?:_The rest is .+_\n\n)?<!-- generated: (.+) -->$", re.MULTILINE)


def with_generated_text(page: str) -> str:
    """Put the text from the code into a page, where its markers stand."""
    return _MARKER.sub(lambda marker: PAGES[marker[1]](), page)
