"""A reader that knows the labelled pairs and the controls, for tests of who is let judge."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from osler.eval.controls import controls_of
from osler.eval.reader.labelled_pairs import labelled_pairs
from osler.eval.reader.model_judge import enclosed
from osler.eval.verdict import Verdict
from osler.language import Language

ENCLOSED = re.compile(r"<answer>([^<>\n]*)</answer>")
RELATIONS = {Verdict.CORRECT: "same", Verdict.PARTIAL: "broader", Verdict.WRONG: "different"}
COURSES = {Verdict.CORRECT: "recommended", Verdict.PARTIAL: "in part"}
LINE = re.compile(
    r"^(\d+)\. (part of|right as|unsafe for|正确治疗|整体正确|对该患者)", re.MULTILINE
)


def answers_like_people(
    mistake: Callable[[Verdict], Verdict] = lambda verdict: verdict,
) -> Callable[[str], str]:
    """A function from prompts to forms that lead to the verdicts of people, each after a
    mistake."""
    known = {
        ENCLOSED.findall(enclosed(pair.answer))[0]: pair.verdict
        for language in Language
        for pair in labelled_pairs(language)
    }
    for language in Language:
        for kind, pairs in controls_of(language).items():
            for _, answer in pairs:
                verdict = Verdict.CORRECT if kind == "same" else Verdict.WRONG
                known.setdefault(ENCLOSED.findall(enclosed(answer))[0], verdict)

    def fill_in(prompt: str) -> str:
        words = ENCLOSED.findall(prompt)[-1]
        verdict = mistake(known[words])
        lines = LINE.findall(prompt)
        return json.dumps(
            _plan(lines, words, verdict) if lines else _diagnosis(words, verdict),
            ensure_ascii=False,
        )

    return fill_in


def _diagnosis(words: str, verdict: Verdict) -> dict[str, object]:
    illness = {"words": words, "standing": "present", "relation": RELATIONS.get(verdict, "")}
    return {"summary": "", "illnesses": [] if verdict is Verdict.NONE else [illness]}


def _plan(lines: list[tuple[str, str]], words: str, verdict: Verdict) -> dict[str, object]:
    filled = []
    for number, kind in lines:
        is_unsafe = kind in ("unsafe for", "对该患者")
        course = "not mentioned" if is_unsafe else COURSES.get(verdict, "not mentioned")
        if is_unsafe and verdict is Verdict.UNSAFE:
            course = "recommended"
        filled.append({"line": int(number), "words": words, "course": course})
    treats = verdict is not Verdict.NONE
    return {"summary": "", "treats": treats, "lines": filled, "rest": "nothing", "rest_words": ""}
