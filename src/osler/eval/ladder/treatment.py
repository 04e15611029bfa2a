"""Whether an answer is the treatment: its parts by any name, an alternative, only the class, or something unsafe."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from osler.eval.ladder.drug_names import NamedDrugs, misspelt, named
from osler.eval.ladder.meant import AnswerMeaning, meaning, says_nothing
from osler.eval.ladder.names import LONGEST, is_chinese, listed
from osler.eval.ladder.spelling import is_misspelt
from osler.eval.verdict import Judgement, Verdict
from osler.eval.vocabulary import Concept
from osler.language import Language
from osler.ranking import reaches
from osler.records.schema import Treatment

_COVER = 0.6
_MOST = 12
"""Drugs and procedures that a plan may hold beside the truth's own: with more it is a list for any patient."""
_MANNER_ZH = re.compile(
    r"大剂量|小剂量|低剂量|足量|静脉|口服|肌注|皮下|外用|局部|注射|冲击|治疗|疗法|紧急|立即|尽快|急诊|联合|加用?|及|和|并|给予|予|使用|应用|"
    r"滴注|静滴|静推|片|胶囊|乳膏|软膏|手术|术|行|每日|每天|[一二两三]次|\d+(?:\.\d+)?(?:mg|g|ml|%)?|[，、。；,（）()]"
)

_IDLE_ZH = re.compile(r"治疗|疗法|药物?|[类剂]|抗生素|使用|[，、。；,（）()]")
_ALLERGY = re.compile(
    r"([A-Za-z-]{4,30}) (?:allergy|hypersensitivity|intolerance)\b|([\u4e00-\u9fff]{2,8})过敏", re.IGNORECASE
)


class _Said(NamedTuple):
    meant: NamedDrugs
    text: str
    turned_down: NamedDrugs


def judge_treatment(answer: str, truth: Treatment, language: Language) -> Judgement:
    """Unsafe first, whatever else matches; then what lists too much; then the whole, the parts, the class."""
    if not answer.strip():
        return Judgement(Verdict.NONE, "none", "no treatment was given")
    answer = answer[:LONGEST]
    reading = meaning(_ALLERGY.sub(_allergy, answer))
    said = _said(reading, truth)
    for unsafe in truth.unsafe:
        if any(_recommends(said, each, truth) for each in unsafe.names):
            return Judgement(Verdict.UNSAFE, "unsafe", f"recommends {unsafe.name}, which is unsafe here")
    if len(said.meant.drugs) > _MOST + len(_drugs((truth.name,))):
        many = len(said.meant.drugs)
        return Judgement(Verdict.WRONG, "several", f"names {many} drugs and procedures, more than one plan holds")
    wholes = (*truth.names, *truth.alternatives)
    done = [part.name for part in truth.parts if any(_done(said, each) for each in part.names)]
    complete = len(done) == len(truth.parts) if truth.parts else any(_done(said, each) for each in truth.names)
    if complete or any(_done(said, each) for each in truth.alternatives):
        return Judgement(Verdict.CORRECT, "name", f"holds all of {truth.name}")
    if done:
        return Judgement(Verdict.PARTIAL, "part", f"holds only {', '.join(done)}")
    wanted = _drugs(wholes)
    if said.meant.drugs & wanted:
        return Judgement(Verdict.PARTIAL, "part", f"holds a part of {truth.name}")
    kin: frozenset[str] = frozenset().union(*(drug.kin for drug in wanted))
    if said.meant.classes & kin:
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
    mistakes = misspelt(text, _drugs((*every, *truth.alternatives)))
    return _Said(meant._replace(drugs=meant.drugs | mistakes), text, named(". ".join(reading.mentioned)))


def _drugs(names: Iterable[str]) -> frozenset[Concept]:
    return frozenset().union(*(named(each).drugs for each in names))


def _recommends(said: _Said, unsafe: str, truth: Treatment) -> bool:
    """Whether the answer holds what is unsafe, with all that makes it so: a dose, a time, a way of giving it."""
    asked = meaning(unsafe)
    if asked.mentioned:
        return not asked.meant and _stops(said, asked)
    what = named(unsafe)
    if what.drugs or what.classes:
        good = _drugs((*truth.names, *truth.alternatives, *(name for part in truth.parts for name in part.names)))
        bad = said.meant.drugs - (good - what.drugs)
        safe = frozenset().union(*(drug.kin for drug in good))
        kin = [drug.kin for drug in bad] + [said.meant.classes - safe]
        held = what.drugs <= said.meant.drugs if what.drugs else any(what.classes <= each for each in kin)
        return held and _holds(said, what)
    return bool(_exact(what)) and _holds(said, what)


def _exact(what: NamedDrugs) -> str | tuple[str, ...]:
    """What must be said beside the drug before it is unsafe: every word, numbers too."""
    if any(is_chinese(char) for char in what.rest):
        return _IDLE_ZH.sub("", "".join(what.rest))
    return tuple(word for word in what.rest if word not in listed("idle"))


def _holds(said: _Said, what: NamedDrugs) -> bool:
    exact = _exact(what)
    return exact in "".join(said.meant.rest) if isinstance(exact, str) else set(exact) <= {*said.meant.rest}


def _stops(said: _Said, asked: AnswerMeaning) -> bool:
    stopped = named(". ".join(asked.mentioned)).drugs
    return bool(stopped) and stopped <= said.turned_down.drugs


def _done(said: _Said, wanted: str) -> bool:
    """Whether the answer holds what a name asks for; one that asks to stop something wants that turned down."""
    asked = meaning(wanted)
    if asked.mentioned and not asked.meant:
        return _stops(said, asked)
    what = named(wanted)
    if what.drugs:
        held = what.drugs <= said.meant.drugs
    elif what.classes:
        held = any(what.classes <= each for each in (said.meant.classes, *(drug.kin for drug in said.meant.drugs)))
    else:
        return _covers(said, what)
    return held and (not _content(what) or _covers(said, what))


def _content(what: NamedDrugs) -> list[str]:
    """The words of a name that are neither a drug nor the manner of giving it; in Chinese pairs of characters."""
    if any(is_chinese(char) for char in what.rest):
        rest = _MANNER_ZH.sub("", "".join(what.rest))
        return [rest[place : place + 2] for place in range(max(1, len(rest) - 1))] if rest else []
    idle = listed("manner") | listed("idle")
    return [word for word in what.rest if word not in idle and not word.isdigit()]


def _covers(said: _Said, what: NamedDrugs) -> bool:
    wanted = _content(what)
    if not wanted:
        return False
    if is_chinese("".join(wanted)):
        held = sum(pair in said.text for pair in wanted)
    else:
        rest = said.meant.rest
        held = sum(any(word == each or is_misspelt(each, word) for each in rest) for word in wanted)
    return reaches(held / len(wanted), _COVER)
