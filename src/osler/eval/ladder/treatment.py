"""Judge a treatment by rules: its parts by any name, an alternative, only the class, or something unsafe."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from osler.eval.ladder.names import (
    LONGEST,
    NameKey,
    by_name,
    chinese,
    find_names,
    is_chinese,
    is_misspelt,
    is_miswritten,
    listed,
    real_parts,
    script,
    units,
    words,
)
from osler.eval.ladder.negation import AnswerMeaning, meaning, says_nothing
from osler.eval.verdict import Judgement, Verdict
from osler.eval.vocabulary import Concept, concepts
from osler.language import Language
from osler.ranking import reaches
from osler.records.schema import Treatment

_COVER = 0.6
_MOST = 12
"""Drugs and procedures that a plan may have besides the true ones: with more, it is a list for any patient."""
_MANNER_ZH = re.compile(
    r"大剂量|小剂量|低剂量|足量|静脉|口服|肌注|皮下|外用|局部|注射|冲击|治疗|疗法|紧急|立即|尽快|急诊|联合|加用?|及|和|并|给予|予|使用|应用|"
    r"滴注|静滴|静推|片|胶囊|乳膏|软膏|手术|术|行|每日|每天|[一二两三]次|\d+(?:\.\d+)?(?:mg|g|ml|%)?|[，、。；,（）()]"
)

_IDLE_ZH = re.compile(r"治疗|疗法|药物?|[类剂]|抗生素|使用|[，、。；,（）()]")
_ALLERGY = re.compile(
    r"([A-Za-z-]{4,30}) (?:allergy|hypersensitivity|intolerance)\b|([\u4e00-\u9fff]{2,8})过敏", re.IGNORECASE
)


class NamedDrugs(NamedTuple):
    """The drugs and procedures that a text names."""

    drugs: frozenset[Concept]
    classes: frozenset[str]
    rest: tuple[str, ...]
    """The words, or the Chinese characters, that name none."""


class _Said(NamedTuple):
    meant: NamedDrugs
    text: str
    turned_down: NamedDrugs


def judge_treatment(answer: str, truth: Treatment) -> Judgement:
    """Judge unsafe first, whatever else matches; then a list of too much; then the whole, the parts, the class."""
    if not answer.strip():
        return Judgement(Verdict.NONE, "none", "no treatment was given")
    answer = answer[:LONGEST]
    said = _said(meaning(_ALLERGY.sub(_allergy, answer)), truth)
    for unsafe in truth.unsafe:
        if any(_recommends(said, each, truth) for each in unsafe.names):
            return Judgement(Verdict.UNSAFE, "unsafe", f"recommends {unsafe.name}, which is unsafe here")
    if len(said.meant.drugs) > _MOST + len(_drugs((truth.name,))):
        many = len(said.meant.drugs)
        return Judgement(Verdict.WRONG, "several", f"names {many} drugs and procedures, more than one plan holds")
    done = [part.name for part in truth.parts if any(_done(said, each) for each in part.names)]
    complete = len(done) == len(truth.parts) if truth.parts else any(_done(said, each) for each in truth.names)
    if complete or any(_done(said, each) for each in truth.alternatives):
        return Judgement(Verdict.CORRECT, "name", f"holds all of {truth.name}")
    if done:
        return Judgement(Verdict.PARTIAL, "part", f"holds only {', '.join(done)}")
    wanted = _drugs((*truth.names, *truth.alternatives))
    if said.meant.drugs & wanted:
        return Judgement(Verdict.PARTIAL, "part", f"holds a part of {truth.name}")
    if said.meant.classes & _kin(wanted):
        return Judgement(Verdict.PARTIAL, "class", "names only the class")
    if said.turned_down.drugs & wanted:
        return Judgement(Verdict.WRONG, "negated", f"turns {truth.name} down")
    if not said.meant.drugs and says_nothing(answer):
        return Judgement(Verdict.NONE, "none", "no treatment was given")
    return Judgement(Verdict.WRONG, "name", f"does not name {truth.name}")


def _allergy(match: re.Match[str]) -> str:
    """An allergy to a drug is a reason, not a recommendation."""
    what = named(match[1] or match[2])
    return " " if what.drugs or what.classes else match[0]


def _said(reading: AnswerMeaning, truth: Treatment) -> _Said:
    text = ". ".join(reading.sentences)
    meant = named(text)
    every = (name for each in (truth, *truth.parts, *truth.unsafe) for name in each.names)
    wanted = _drugs((*every, *truth.alternatives)) - meant.drugs
    own = ((drug, name) for drug in wanted for name in drug.names if script(name) is script(text))
    mistakes = frozenset(drug for drug, name in own if _is_misspelt(meant.rest, name))
    return _Said(meant._replace(drugs=meant.drugs | mistakes), text, named(". ".join(reading.mentioned)))


def _drugs(names: Iterable[str]) -> frozenset[Concept]:
    return frozenset[Concept]().union(*(named(each).drugs for each in names))


def _kin(some: Iterable[Concept]) -> frozenset[str]:
    return frozenset[str]().union(*(drug.kin for drug in some))


def _recommends(said: _Said, unsafe: str, truth: Treatment) -> bool:
    """Check whether the answer recommends what is unsafe, with all that makes it so: a dose, a time, a route."""
    asked = meaning(unsafe)
    if asked.mentioned:
        return not asked.meant and _stops(said, asked)
    what = named(unsafe)
    exact = _beside(what, manner=True)
    if what.drugs:
        held = what.drugs <= said.meant.drugs
    elif what.classes:
        good = _drugs((*truth.names, *truth.alternatives, *(name for part in truth.parts for name in part.names)))
        kin = [drug.kin for drug in said.meant.drugs - good] + [said.meant.classes - _kin(good)]
        held = any(what.classes <= each for each in kin)
    else:
        held = bool(exact)
    return held and _covers(said, exact)


def _stops(said: _Said, asked: AnswerMeaning) -> bool:
    stopped = named(". ".join(asked.mentioned)).drugs
    return bool(stopped) and stopped <= said.turned_down.drugs


def _done(said: _Said, wanted: str) -> bool:
    """Check whether the answer does what a name asks for; a name that asks to stop something must be turned down."""
    asked = meaning(wanted)
    if asked.mentioned and not asked.meant:
        return _stops(said, asked)
    what = named(wanted)
    beside = _beside(what, manner=False)
    if what.drugs:
        held = what.drugs <= said.meant.drugs
    elif what.classes:
        held = any(what.classes <= each for each in (said.meant.classes, *(drug.kin for drug in said.meant.drugs)))
    else:
        held = bool(beside)
    return held and _covers(said, beside, _COVER)


def _beside(what: NamedDrugs, *, manner: bool) -> list[str]:
    """Return what a name says besides its drugs, with how they are given or, in Chinese as pairs, without."""
    if any(is_chinese(char) for char in what.rest):
        rest = (_IDLE_ZH if manner else _MANNER_ZH).sub("", "".join(what.rest))
        step = len(rest) if manner else 2
        return [rest[place : place + step] for place in range(max(1, len(rest) - step + 1))] if rest else []
    told = [word for word in what.rest if word not in listed("idle")]
    return told if manner else [word for word in told if word not in listed("manner") and not word.isdigit()]


def _covers(said: _Said, wanted: list[str], least: float = 1.0) -> bool:
    """Check whether the answer has that share of what is wanted; to have all, it must say it beside its drugs."""
    there: str | tuple[str, ...] = said.meant.rest
    if is_chinese("".join(wanted)):
        there = said.text if least < 1 else "".join(there)
    return not wanted or reaches(sum(each in there for each in wanted) / len(wanted), least)


@cache
def _index(language: Language) -> dict[NameKey, tuple[Concept, ...]]:
    return by_name((*concepts("drugs"), *concepts("procedures"), *concepts("classes")), language)


@cache
def _real(language: Language) -> frozenset[str]:
    return real_parts(_index(language))


@lru_cache(maxsize=8192)
def named(text: str) -> NamedDrugs:
    """Return what a text names: the longest names at each place."""
    language = script(text)
    sequence, index, groups = units(text, language), _index(language), frozenset(concepts("classes"))
    hits = list(find_names(sequence, index))
    found = frozenset(concept for hit in hits for concept in index[hit.key])
    inside = {place for hit in hits for place in range(hit.start, hit.end)}
    rest = tuple(unit for place, unit in enumerate(sequence) if place not in inside)
    return NamedDrugs(found - groups, _kin(found & groups), rest)


def _is_misspelt(rest: tuple[str, ...], name: str) -> bool:
    """Check whether one of these words is the misspelt name; a word that is itself a name is not."""
    real = _real(script(name))
    if is_chinese(name):
        text, meant = "".join(rest), chinese(name)
        starts = range(len(text) - len(meant) + 1) if len(meant) >= 3 else ()
        return any(is_miswritten(text[start : start + len(meant)], meant, real) for start in starts)
    meant_words = words(name)
    odd = (word for word in rest if len(word) >= 5 and word not in real)
    return len(meant_words) == 1 and any(is_misspelt(word, meant_words[0]) for word in odd)
