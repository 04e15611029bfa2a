"""Look up quotations in a source text, and find what of the text nothing quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from osler.language import Language
from osler.language.words import plain, sentences

_OPENING = "([{（【"
_CLOSING = ")]}）】"
_LONGEST_PART = {Language.EN: 1200, Language.ZH: 450}
"""Characters that one request shows the model: its answer is several times as long."""
_NOT_ITS_OWN = " ,;，；、([{（【“‘"
"""Marks behind a quotation that belong to what follows."""
_NUMBER_OF_A_LIST = re.compile(r"(?:^|\s)\(?\d{1,2}[.)]$")


class Span(NamedTuple):
    """A part of a text: its first place, and the place behind it."""

    start: int
    end: int


class SourceText:
    """A text that can be quoted. Letters and digits count; case, width, space and marks do not."""

    def __init__(self, text: str, language: Language) -> None:
        """Note which letters stand where."""
        self.text = text
        self.sentences = tuple(whole_sentences(text, language))
        self._quoted: set[Span] = set()
        self._letters = ""
        self._places: list[int] = []
        """The place in the text of each letter."""
        for place, char in enumerate(text):
            letters = _letters(char)
            self._letters += letters
            self._places += [place] * len(letters)

    def find(self, quotation: str) -> list[Span]:
        """Return all places where a quotation stands in the text, its words whole."""
        letters = "".join(map(_letters, quotation))
        spans: list[Span] = []
        start = self._letters.find(letters) if letters else -1
        while start >= 0:
            last = start + len(letters) - 1
            span = Span(self._places[start], self._places[last] + 1)
            cuts_word = _is_inside_word(self.text, span.start)
            if not cuts_word and not _is_inside_word(self.text, span.end):
                spans.append(span)
            start = self._letters.find(letters, start + 1)
        return spans

    def quote(self, span: Span) -> str:
        """A part of the text as it is written, with the marks behind it: "HBsAg (+)"."""
        end = span.end
        while end < len(self.text) and not (self.text[end].isalnum() or self.text[end] == "\n"):
            end += 1
        return self.text[span.start : end].rstrip(_NOT_ITS_OWN)

    def use(self, quotation: str) -> None:
        """Note that something in the record rests on a quotation."""
        self._quoted.update(self.find(quotation))

    def unused(self) -> list[str]:
        """The sentences of the text of which nothing is quoted."""
        unused: dict[str, None] = {}
        end = 0
        for sentence in self.sentences:
            start = self.text.index(sentence, end)
            end = start + len(sentence)
            is_quoted = any(span.start < end and start < span.end for span in self._quoted)
            if not is_quoted and any(map(str.isalpha, sentence)):
                unused[sentence] = None
        return list(unused)


def text_parts(paragraphs: tuple[str, ...], language: Language) -> list[str]:
    """The text in parts that fit a request each; too long a paragraph is cut between sentences."""
    parts: list[str] = []
    longest = _LONGEST_PART[language]
    for paragraph in paragraphs:
        pieces = [paragraph]
        if len(paragraph) > longest:
            pieces = list(whole_sentences(paragraph, language))
        for piece in pieces:
            if parts and len(parts[-1]) + len(piece) < longest:
                parts[-1] += f"\n{piece}"
            else:
                parts.append(piece)
    return parts


def whole_sentences(text: str, language: Language) -> Iterator[str]:
    """The sentences of a text, none cut within brackets or behind a list's number such as "2)"."""
    start = 0
    end = 0
    for sentence in sentences(text, language):
        end = text.index(sentence, end) + len(sentence)
        whole = text[start:end].strip()
        if _is_open(whole) or _NUMBER_OF_A_LIST.search(whole):
            continue  # the next sentence is added to it
        yield whole
        start = end
    rest = text[start:].strip()
    if rest:
        yield rest


def _is_open(text: str) -> bool:
    """Check whether a bracket is open; a new line closes what was never closed."""
    last_line = text.rpartition("\n")[2]
    return sum(map(last_line.count, _OPENING)) > sum(map(last_line.count, _CLOSING))


def _letters(char: str) -> str:
    return "".join(letter for letter in plain(char) if letter.isalnum())


def _is_inside_word(text: str, place: int) -> bool:
    """Check whether a place in a text parts a word of Latin letters, or a number."""
    before = text[place - 1 : place]
    after = text[place : place + 1]
    return all(char.isascii() and char.isalnum() for char in (before, after))
