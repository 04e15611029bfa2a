"""Settings of the documentation site: `make docs` builds it with Sphinx into `docs/_build`.

The pages are plain Markdown, readable where they lie. Three things happen to them here: text from
the code goes where a page has a `generated` marker, README and the other files of the root become
pages, and links to those files follow.
"""

from __future__ import annotations

import logging
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

DOCS = Path(__file__).parent
REPO = DOCS.parent
sys.path[:0] = [str(REPO), str(REPO / "src")]

from docs.generate import with_generated_text  # noqa: E402
from osler import __version__  # noqa: E402

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# It says how it was loaded, each time.
logging.getLogger("faiss.loader").setLevel(logging.WARNING)

project = "Osler"
author = "the Osler contributors"
version = release = __version__
html_title = f"Osler {__version__}"
html_theme = "furo"
html_show_copyright = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
extensions = ["myst_parser"]
myst_heading_anchors = 4
"""Headings have the anchors that GitHub gives them."""
exclude_patterns = ["_build", "generate", "pictures/take.py"]
smartquotes = False
"""Options keep their two hyphens."""
nitpicky = True
"""With `--fail-on-warning`, a link that leads nowhere stops the build."""

_FILE = re.compile(r"^<!-- file: \.\./(.+) -->$", re.MULTILINE)
_PAGE_OF = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
"""Files of the repository's root that are pages of the site, each by a page that includes it."""


def setup(app: Sphinx) -> None:
    """Let Sphinx pass every page through this module before it is read."""
    app.connect("source-read", _prepare)


def _prepare(app: Sphinx, page: str, source: list[str]) -> None:
    text = _FILE.sub(lambda marker: _root_file(marker[1]), source[0])
    for name, page_of_it in _PAGE_OF.items():
        text = text.replace(f"](../{name}", f"]({page_of_it}")
    source[0] = with_generated_text(text)


def _root_file(name: str) -> str:
    """A file of the root, with its links as a page of `docs/` has them."""
    text = (REPO / name).read_text(encoding="utf-8")
    text = re.sub(r"\]\((?!https?:|#|docs/)", "](../", text)
    return text.replace("](docs/", "](")
