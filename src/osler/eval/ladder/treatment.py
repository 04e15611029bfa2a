"""Judge a treatment by rules: each part of the record's treatment, and each thing that is unsafe, is there or not.

What the rules cannot tell is left undecided.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum

from osler.eval.ladder.names import chinese, is_chinese, is_misspelt, is_miswritten, script, words
from osler.eval.ladder.negation import meaning, says_nothing
from osler.eval.ladder.plan import Manner, Mention, Plan, beside, doses, known_parts, manner, read_plan, text_beside, things, words_beside
from osler.eval.verdict import Judgement, Verdict
from osler.eval.vocabulary import Concept, concepts, cue
from osler.records.schema import Treatment

_MOST = 12
"""Drugs and procedures that a plan may have besides the true ones: with more, it is a list for any patient."""
_NO_MATTER = {"time", "span"}
"""Dimensions of manner in which an answer may differ from a part of the treatment."""
_BY_DEFAULT = {("route", "oral"), ("frequency", "daily")}
_GROUP = 4
"""Length of the ATC code of a group of drugs; a single drug has a longer one."""
_ANY_OF = re.compile(r"\bor\b|/|或|等|such as", re.IGNORECASE)
_STOP = re.compile(r"^(?:stop|discontinu|withh|withdraw|paus|hold|停|暂停)", re.IGNORECASE)
_ALONE = re.compile(r"\balone\b|\bonly\b|monotherapy|单用|单独|单药|仅", re.IGNORECASE)


class _Held(IntEnum):
    """Whether a plan holds one thing."""

    NO = 0
    SOME = 1
    """Certainly not all of it, but its class or one of its drugs."""
    MAYBE = 2
    YES = 3


def judge_treatment(answer: str, truth: Treatment) -> Judgement:
    """Judge unsafe first, whatever else is there; then the parts and alternatives; undecided where one is not sure."""
    if not answer.strip():
        return Judgement(Verdict.NONE, "none", "no treatment was given")
    plan = _with_misspelt(read_plan(answer), truth)
    if not plan.mentions and not plan.turned_down and _gives_none(answer):
        return Judgement(Verdict.NONE, "none", "no treatment was given")
    own = ". ".join(_own_names(truth))
    plan = plan._replace(unread=tuple(piece for piece in plan.unread if _covered(piece, own) < 1))
    good = _things((*_own_names(truth), *truth.alternatives))
    unsafe = {each.name: _unsafe(each.names, plan, good, truth) for each in truth.unsafe}
    for name, held in unsafe.items():
        if held is _Held.YES:
            return Judgement(Verdict.UNSAFE, "unsafe", f"recommends {name}, which is unsafe here")
    many = len({mention.thing for mention in plan.mentions} - _groups())
    if many > _MOST + len(good):
        return Judgement(Verdict.WRONG, "several", f"names {many} drugs and procedures, more than one plan holds")
    parts = {each.name: max(_held(name, plan, truth) for name in each.names) for each in truth.parts or (truth,)}
    others = [_held(name, plan, truth) for name in truth.alternatives]
    if unsure := next((name for name, held in unsafe.items() if held is _Held.MAYBE), ""):
        return Judgement(Verdict.UNDECIDED, "undecided", f"it is not sure whether it recommends {unsure}, which is unsafe here")
    if plan.unknown_drug:
        return Judgement(Verdict.UNDECIDED, "undecided", f"no table knows the drug in {plan.unknown_drug!r}")
    return _by_parts(answer, plan, parts, others, good)


def _by_parts(
    answer: str, plan: Plan, parts: dict[str, _Held], others: list[_Held], good: frozenset[Concept]
) -> Judgement:
    """Judge a plan that recommends nothing unsafe."""
    held = list(parts.values())
    if min(held) is _Held.YES or _Held.YES in others:
        return Judgement(Verdict.CORRECT, "name", "holds all of the treatment or an alternative")
    for name, each in parts.items():
        if each is _Held.MAYBE and not (min(held) < _Held.MAYBE and {_Held.YES, _Held.SOME} & set(held)):
            return Judgement(Verdict.UNDECIDED, "undecided", f"it is not sure whether it holds {name}")
    if _Held.MAYBE in others:
        return Judgement(Verdict.UNDECIDED, "undecided", "it is not sure whether it holds an alternative")
    if max(held) >= _Held.SOME:
        missing = ", ".join(name for name, each in parts.items() if each is not _Held.YES)
        return Judgement(Verdict.PARTIAL, "part", f"holds not all of {missing}")
    return _without_parts(answer, plan, others, good)


def _without_parts(answer: str, plan: Plan, others: list[_Held], good: frozenset[Concept]) -> Judgement:
    """Judge a plan that holds no part of the treatment."""
    recommended = {mention.thing for mention in plan.mentions}
    if any(_relation(own, thing) or _relation(thing, own) for thing in plan.turned_down for own in good):
        return Judgement(Verdict.WRONG, "negated", "turns the treatment down")
    if not recommended:
        if cue("treatment_cues", "declines").search(answer):
            return Judgement(Verdict.WRONG, "negated", "says that no treatment is needed")
        return Judgement(Verdict.UNDECIDED, "undecided", "names no treatment that is known")
    if max(others, default=_Held.NO) or any(thing.kin & own.kin for thing in recommended - _groups() for own in good - _groups()):
        return Judgement(Verdict.UNDECIDED, "undecided", "names something close to the treatment")
    return Judgement(Verdict.WRONG, "name", "names another treatment and no part of this one")


def _gives_none(answer: str) -> bool:
    """Check whether an answer without any drug or procedure leaves the treatment open."""
    if cue("treatment_cues", "declines").search(answer):
        return False
    refuses = cue("treatment_cues", "refusal").search(answer) or cue("answer_cues", "talk").search(answer)
    return bool(refuses) or says_nothing(answer)


def _own_names(truth: Treatment) -> tuple[str, ...]:
    return tuple(name for each in (truth, *truth.parts) for name in each.names)


def _things(names: Iterable[str]) -> frozenset[Concept]:
    return frozenset(thing for name in names for thing in things(name))


def _groups() -> frozenset[Concept]:
    return frozenset(concepts("classes"))


def _is_group(thing: Concept) -> bool:
    """Check whether a name stands for several drugs: a class, or insulin and penicillin without a kind."""
    return thing in _groups() or any(code[0].isupper() and len(code) <= _GROUP for code in thing.kin)


def _relation(wanted: Concept, thing: Concept) -> _Held:
    """Compare a thing with a wanted one: it, one of its class (yes), its class (some), a near one (maybe)."""
    if thing == wanted:
        return _Held.YES
    within = [any(code.startswith(group) for group in wanted.kin) for code in thing.kin]
    if _is_group(wanted) and (all(within) if thing in _groups() else any(within)):
        return _Held.YES
    if _is_group(thing) and any(code.startswith(group) for group in thing.kin for code in wanted.kin):
        return _Held.SOME
    near = [group[1:] for group in wanted.kin if group.startswith("~")]
    return _Held.MAYBE if any(code.startswith(group) for group in near for code in thing.kin) else _Held.NO


def _held(name: str, plan: Plan, truth: Treatment) -> _Held:
    """Check whether a plan holds what one name of a part asks for."""
    if cue("treatment_cues", "declines").search(name):
        return _Held.YES if cue("treatment_cues", "declines").search(plan.said) else _Held.NO
    asked = meaning(name)
    if asked.mentioned and not asked.meant:
        return _turned_down(name, asked.mentioned, plan)
    wanted = things(name)
    wanted = [each for each in wanted if each not in _groups() or not any(_relation(each, one) is _Held.YES for one in wanted if one != each)] if not _ANY_OF.search(name) else wanted
    if not wanted:
        return _text_held(name, plan)
    each = [_best(thing, name, plan, truth) for thing in wanted]
    if _ANY_OF.search(name):
        return max(each)
    if min(each) is _Held.NO:
        return _Held.SOME if {_Held.YES, _Held.SOME} & set(each) else max(each)
    return min(each)


def _best(wanted: Concept, name: str, plan: Plan, truth: Treatment) -> _Held:
    """Find the mention that comes nearest to a wanted thing in the manner that is asked for."""
    found = [_mentioned(wanted, mention, name, plan, truth) for mention in plan.mentions]
    best = max(found, default=_Held.NO)
    is_procedure = any(code[0].islower() for code in wanted.kin)
    is_turned_down = any(_relation(wanted, thing) for thing in plan.turned_down)
    return _Held.MAYBE if best is _Held.NO and is_procedure and plan.unread and not is_turned_down else best


def _mentioned(wanted: Concept, mention: Mention, name: str, plan: Plan, truth: Treatment) -> _Held:
    relation = _relation(wanted, mention.thing)
    if relation is not _Held.YES:
        return relation
    if not mention.sure or (mention.thing != wanted and wanted not in _groups()):
        return _Held.MAYBE
    lacking = _Held.SOME if mention.thing in _groups() else _Held.MAYBE
    asked = {key: values for key, values in manner(text_beside(name)).items() if key not in _NO_MATTER}
    given = manner(mention.around)
    for key, values in asked.items():
        by_default = key not in given and any((key, value) in _BY_DEFAULT for value in values)
        if not (by_default or values & given.get(key, set())):
            return _Held.SOME if key in given else lacking
    if doses(name) and not doses(name) & doses(mention.around):
        return _Held.MAYBE
    return _Held.YES if _covered(beside(name), plan.text) == 1 else _Held.MAYBE


def _covered(wanted: str, text: str) -> float:
    """Return which share of the words, or of the pairs of characters, a text has."""
    if is_chinese(wanted):
        there = chinese(text)
        pairs = [word[at : at + 2] for word in wanted.split() for at in range(max(1, len(word) - 1))]
        return sum(pair in there for pair in pairs) / len(pairs)
    said, needed = frozenset(words(text)), words(wanted)
    return sum(word in said for word in needed) / len(needed) if needed else 1


def _text_held(name: str, plan: Plan) -> _Held:
    """Check a part that names no known drug or procedure by its words."""
    asked = manner(name)
    if (wanted := beside(name)) and _covered(wanted, plan.text) == 1:
        return _Held.YES
    given = manner(plan.text)
    if not wanted and asked and all(values & given.get(key, set()) for key, values in asked.items()):
        return _Held.YES
    return _Held.MAYBE if plan.unread or not wanted or _covered(wanted, plan.text) else _Held.NO


def _turned_down(name: str, pieces: tuple[str, ...], plan: Plan) -> _Held:
    """Check a part that asks to stop a drug, or to do without it."""
    wanted = _things(pieces)
    if not wanted:
        return _Held.MAYBE
    if any(mention.sure and _relation(each, mention.thing) is _Held.YES for mention in plan.mentions for each in wanted):
        return _Held.NO
    if all(any(_relation(each, thing) or _relation(thing, each) is _Held.YES for thing in plan.turned_down) for each in wanted):
        return _Held.YES
    return _Held.NO if _STOP.search(name) and not plan.unread else _Held.MAYBE


def _unsafe(names: Iterable[str], plan: Plan, good: frozenset[Concept], truth: Treatment) -> _Held:
    """Check whether a plan recommends something unsafe; a manner that is said to be another settles all its names."""
    found = [_recommends(name, plan, good, truth) for name in names]
    if _Held.YES in found:
        return _Held.YES
    return _Held.NO if None in found else max((each for each in found if each is not None), default=_Held.NO)


def _recommends(name: str, plan: Plan, good: frozenset[Concept], truth: Treatment) -> _Held | None:
    """Return whether a plan recommends one unsafe name; None if it says the opposite manner."""
    asked = meaning(name)
    wanted = things(name)
    if asked.mentioned and not asked.meant:
        stopped = any(_relation(each, thing) is _Held.YES for each in wanted for thing in plan.turned_down)
        return _Held.MAYBE if stopped else _Held.NO
    if not wanted:
        share = _covered(beside(name), plan.text) if len(beside(name)) > 3 else 0
        return _Held.MAYBE if share == 1 else _Held.NO
    if len(wanted) > 1 and not _ANY_OF.search(name):
        wanted = [each for each in wanted if each not in _groups() or not any(_relation(each, one) is _Held.YES for one in wanted if one != each)]
    each = [_unsafe_thing(thing, name, plan, good, truth) for thing in wanted]
    alike = len({code[:3] for thing in wanted for code in thing.kin}) == 1
    if _ANY_OF.search(name) or alike or len(each) == 1:
        return None if None in each and _Held.YES not in each else max(one for one in each if one is not None)
    if None in each:
        return None
    return min(one for one in each if one is not None)


def _unsafe_thing(wanted: Concept, name: str, plan: Plan, good: frozenset[Concept], truth: Treatment) -> _Held | None:
    found: list[_Held | None] = []
    for mention in plan.mentions:
        relation = _relation(wanted, mention.thing)
        if relation is _Held.NO or (mention.thing in good and mention.thing != wanted):
            continue
        if relation is not _Held.YES:
            mine = any(_relation(mention.thing, own) is _Held.YES for own in good)
            found.append(_Held.NO if mine else _Held.MAYBE)
        else:
            found.append(_in_manner(name, mention, plan, good, truth))
    if _Held.YES in found:
        return _Held.YES
    return None if None in found else max((one for one in found if one is not None), default=_Held.NO)


def _in_manner(name: str, mention: Mention, plan: Plan, good: frozenset[Concept], truth: Treatment) -> _Held | None:
    """Compare the manner that makes a thing unsafe with the one that is recommended; None if it is another."""
    asked, given = manner(text_beside(name)), manner(mention.around)
    is_sure = mention.sure
    if _ALONE.search(name):
        if len({each.thing for each in plan.mentions}) > 1:
            return None
        is_sure = is_sure and bool(_ALONE.search(mention.around))
    for key, values in asked.items():
        if key in given and not values & given[key]:
            return None
        is_sure = is_sure and key in given and values == given[key]
    if asked or doses(name):
        recorded = doses(". ".join((*_own_names(truth), *truth.alternatives)))
        taken = doses(mention.around)
        if taken and recorded and max(taken) <= max(recorded):
            return None
        is_sure = is_sure and (not doses(name) or bool(doses(name) & taken))
    left = _ALONE.sub("", beside(name))
    if left.strip() and _covered(left, plan.text) < 1:
        return _Held.NO if mention.thing in good else _Held.MAYBE
    return _Held.YES if is_sure else _Held.MAYBE


def _with_misspelt(plan: Plan, truth: Treatment) -> Plan:
    """Add the drugs of the record that the plan names with a slip of the pen; what is unsafe is not sure then."""
    unsafe = _things(name for each in truth.unsafe for name in each.names)
    wanted = (_things((*_own_names(truth), *truth.alternatives)) | unsafe) - {each.thing for each in plan.mentions}
    rest = words_beside(plan.text)
    found = [
        (drug, slip)
        for drug in wanted
        for name in drug.names
        if script(name) is script(plan.text) and (slip := _misspelt(rest, name))
    ]
    unread = tuple(piece for piece in plan.unread if not any(slip in piece.casefold() for _, slip in found))
    mentions = tuple(Mention(drug, plan.text, drug not in unsafe) for drug, _ in found)
    return plan._replace(mentions=plan.mentions + mentions, unread=unread)


def _misspelt(rest: tuple[str, ...], name: str) -> str:
    """Return the word that is the misspelt name, or nothing; a word that is itself a name is not."""
    real = known_parts(script(name))
    if is_chinese(name):
        text, meant = "".join(rest), chinese(name)
        starts = range(len(text) - len(meant) + 1) if len(meant) >= 3 else ()
        slips = (text[start : start + len(meant)] for start in starts)
        return next((slip for slip in slips if is_miswritten(slip, meant, real)), "")
    meant_words = words(name)
    odd = (word for word in rest if len(word) >= 5 and word not in real)
    return next((word for word in odd if len(meant_words) == 1 and is_misspelt(word, meant_words[0])), "")
