"""Judge a treatment by rules: each part of the record's treatment, and each thing that is unsafe, is there or not.

What the rules cannot tell is left undecided.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum
from functools import cache

from osler.eval.ladder.names import chinese, is_chinese, is_misspelt, is_miswritten, script, words
from osler.eval.ladder.negation import says_nothing, split_clauses
from osler.eval.ladder.plan import (
    Mention,
    Plan,
    beside,
    doses,
    known_parts,
    manner,
    numbers,
    read_plan,
    text_beside,
    things,
    words_beside,
)
from osler.eval.verdict import Opinion, Verdict
from osler.eval.vocabulary import Concept, concepts, cue
from osler.records.schema import Treatment

_MOST = 12
"""Drugs and procedures that a plan may surely recommend besides the true ones: with more, it is a list for anybody."""
_NO_MATTER = {"time", "span"}
"""Dimensions of manner in which an answer may differ from a part of the treatment."""
_BY_DEFAULT = {("route", "oral"), ("frequency", "daily")}
_TOO_HIGH = 3
"""A dose more than this many times the record's own is a high dose."""
_GROUP = 4
"""Length of the ATC code of a group of drugs; a single drug has a longer one."""
_PUNCTUATION = ",.;:，。；："
_ANY_OF = re.compile(r"\bor\b|/|或|等|such as", re.IGNORECASE)
_AND = re.compile(r"\b(?:and|with|plus|then)\b|\+|加|联合|并|和|及", re.IGNORECASE)
_STOP = re.compile(r"^(?:stop|discontinu|withh|withdraw|paus|hold|停|暂停)", re.IGNORECASE)


class _Held(IntEnum):
    """Whether a plan holds one thing."""

    NO = 0
    SOME = 1
    """Certainly not all of it, but its class, one of its drugs, or the drug in another manner."""
    MAYBE = 2
    YES = 3


def judge_treatment(answer: str, truth: Treatment) -> Opinion:
    """Judge an answer that is a name of the record first, then what is unsafe, then parts and alternatives."""
    if named := _by_name(answer, truth):
        return named
    plan = _with_misspelt(read_plan(answer), truth)
    if not plan.mentions and not plan.turned_down and _gives_none(plan):
        return Opinion(Verdict.NONE, rung="none", because="no treatment was given")
    names = tuple(name for each in (truth, *truth.parts) for name in each.names)
    own = [mention for name in (*names, *truth.alternatives) for mention in read_plan(name).mentions]
    good = frozenset(mention.thing for mention in own)
    plan = plan._replace(mentions=tuple(_chosen(mention, plan, good) for mention in plan.mentions))
    plan = plan._replace(timed=good & _timed(truth))
    plan = plan._replace(unread=tuple(piece for piece in plan.unread if _covered(piece, ". ".join(names)) < 1))
    unsafe = {each.name: _settled(_harm(name, plan, own) for name in each.names) or _Held.NO for each in truth.unsafe}
    for name, held in unsafe.items():
        if held is _Held.YES:
            return Opinion(Verdict.UNSAFE, rung="unsafe", because=f"recommends {name}, which is unsafe here")
    many = len({mention.thing for mention in plan.mentions if mention.sure} - _classes())
    if many > _MOST + len(things(truth.name)):
        return Opinion(
            Verdict.WRONG, rung="several", because=f"names {many} drugs and procedures, more than one plan holds"
        )
    if unsure := next((name for name, held in unsafe.items() if held is _Held.MAYBE), ""):
        return _undecided(f"it is not sure whether it recommends {unsure}, which is unsafe here")
    if plan.unknown_drug:
        return _undecided(f"no table knows the drug in {plan.unknown_drug!r}")
    parts = {each.name: _part(each.names, plan, not good) for each in truth.parts or (truth,)}
    others = [_held(name, plan, not good) for name in truth.alternatives]
    if min(parts.values()) is _Held.YES or _Held.YES in (*others, _held(truth.name, plan, not good)):
        return Opinion(Verdict.CORRECT, rung="name", because=f"holds all of {truth.name} or of an alternative")
    return _incomplete(plan, parts, others, good)


def _by_name(answer: str, truth: Treatment) -> Opinion | None:
    """Judge an answer that is a name of the record and nothing else."""
    said = chinese(answer).strip(_PUNCTUATION)
    if said in {chinese(name).strip(_PUNCTUATION) for name in (*truth.names, *truth.alternatives)}:
        return Opinion(Verdict.CORRECT, rung="name", because="the same name")
    for each in truth.unsafe:
        if said in {chinese(name).strip(_PUNCTUATION) for name in each.names}:
            return Opinion(Verdict.UNSAFE, rung="unsafe", because=f"recommends {each.name}, which is unsafe here")
    return None


def _chosen(mention: Mention, plan: Plan, good: frozenset[Concept]) -> Mention:
    """Make sure of an open choice only if any of it is as the record wants it."""
    rivals = [each.thing for each in plan.mentions if mention.open_choice and each.around == mention.around]
    is_good = all(any(_relation(own, thing) is _Held.YES for own in good) for thing in rivals)
    return mention._replace(sure=mention.sure and is_good)


def _undecided(because: str) -> Opinion:
    return Opinion(Verdict.UNDECIDED, rung="undecided", because=because)


def _incomplete(plan: Plan, parts: dict[str, _Held], others: list[_Held], good: frozenset[Concept]) -> Opinion:
    """Judge a plan that is safe, and not surely complete."""
    held = {*parts.values()}
    is_partial = min(held) < _Held.MAYBE and bool(held & {_Held.YES, _Held.SOME})
    if _Held.MAYBE in others or (_Held.MAYBE in held and not is_partial):
        unsure = next((name for name, each in parts.items() if each is _Held.MAYBE), "an alternative")
        return _undecided(f"it is not sure whether it holds {unsure}")
    if is_partial:
        missing = ", ".join(name for name, each in parts.items() if each is not _Held.YES)
        return Opinion(Verdict.PARTIAL, rung="part", because=f"does not hold all of {missing}")
    if any(_relation(own, thing) or _relation(thing, own) for thing in plan.turned_down for own in good):
        return Opinion(Verdict.WRONG, rung="negated", because="turns the treatment down")
    recommended = {mention.thing for mention in plan.mentions}
    if not any(mention.sure for mention in plan.mentions):
        if cue("treatment_cues", "declines").search(plan.said):
            return Opinion(Verdict.WRONG, rung="negated", because="says that no treatment is needed")
        return _undecided("names no treatment that is known")
    if any(others) or any(_is_close(thing, own) for thing in recommended for own in good):
        return _undecided("names something close to the treatment")
    return Opinion(Verdict.WRONG, rung="name", because="names another treatment and no part of this one")


def _is_close(thing: Concept, own: Concept) -> bool:
    """Check whether two drugs are of one chemical subgroup, or two procedures of one kind."""
    return not {thing, own} & _classes() and bool(thing.kin & own.kin)


def _gives_none(plan: Plan) -> bool:
    """Check whether a plan without any drug or procedure leaves the treatment open, or is only tests."""
    if cue("treatment_cues", "declines").search(plan.said):
        return False
    refuses = cue("treatment_cues", "refusal").search(plan.said) or cue("answer_cues", "talk").search(plan.said)
    is_tests = bool(plan.unread) and all(cue("treatment_cues", "test").search(piece) for piece in plan.unread)
    return bool(refuses) or is_tests or not plan.said.strip() or says_nothing(plan.said)


@cache
def _classes() -> frozenset[Concept]:
    return frozenset(concepts("classes"))


def _is_group(thing: Concept) -> bool:
    """Check whether a name stands for several drugs: a class, or insulin and penicillin without a kind."""
    return thing in _classes() or any(code[0].isupper() and len(code) <= _GROUP for code in thing.kin)


def _relation(wanted: Concept, thing: Concept) -> _Held:
    """Compare a thing with a wanted one: it, one of its class (yes), its class (some), a near one (maybe)."""
    if thing == wanted:
        return _Held.YES
    within = [any(code.startswith(group) for group in wanted.kin) for code in thing.kin]
    if _is_group(wanted) and (all(within) if thing in _classes() else any(within)):
        return _Held.YES
    if _is_group(thing) and any(code.startswith(group) for group in thing.kin for code in wanted.kin):
        return _Held.SOME
    near = [group[1:] for group in wanted.kin if group.startswith("~")]
    return _Held.MAYBE if any(code.startswith(group) for group in near for code in thing.kin) else _Held.NO


def _part(names: tuple[str, ...], plan: Plan, is_alone: bool) -> _Held:
    """Check a part by all its names; those that no table knows count only in full, if another one is known."""
    known = [_held(name, plan, is_alone) for name in names if things(name)]
    told = [_held(name, plan, is_alone) for name in names if not things(name)]
    return max(known + [each for each in told if each is _Held.YES or not known])


def _held(name: str, plan: Plan, is_alone: bool) -> _Held:
    """Check whether a plan holds what one name of a part, or of an alternative, asks for."""
    if cue("treatment_cues", "declines").search(name):
        return _Held.YES if cue("treatment_cues", "declines").search(plan.said) else _Held.NO
    if _ANY_OF.search(name) and len(both := list(filter(things, _AND.split(name)))) > 1:
        return _together([_held(each, plan, is_alone) for each in both])
    stopped = _stopped(name)
    held = [_turned_down(each, name, plan) for each in stopped]
    found = [_best(each, name, plan) for each in read_plan(name).mentions]
    held += [max(found)] if found and _ANY_OF.search(name) else found
    if not held:
        return _text_held(name, plan, is_alone)
    is_whole = bool(stopped) or _covered(beside(name), plan.text) == 1
    return min(_together(held), _Held.YES if is_whole else _Held.MAYBE)


def _stopped(name: str) -> list[Concept]:
    """Return what a record's name asks to stop, or to do without."""
    return things(". ".join(mentioned for _, mentioned in split_clauses(name, script(name))))


def _together(held: list[_Held]) -> _Held:
    """Return how much of several wanted things is there."""
    if min(held) is _Held.NO:
        return _Held.SOME if {_Held.YES, _Held.SOME} & {*held} else max(held)
    return min(held)


def _best(wanted: Mention, name: str, plan: Plan) -> _Held:
    """Find the mention that comes nearest to what is wanted, in the manner that is asked for."""
    best = max((_mentioned(wanted, mention, name, plan) for mention in plan.mentions), default=_Held.NO)
    is_procedure = any(code[0].islower() for code in wanted.thing.kin)
    may_be_unread = is_procedure and any(cue("treatment_cues", "procedure").search(piece) for piece in plan.unread)
    is_turned_down = any(_relation(wanted.thing, thing) for thing in plan.turned_down)
    return _Held.MAYBE if best is _Held.NO and may_be_unread and not is_turned_down else best


def _mentioned(wanted: Mention, mention: Mention, name: str, plan: Plan) -> _Held:
    relation = _relation(wanted.thing, mention.thing)
    if relation is not _Held.YES:
        return relation
    is_conditional = cue("treatment_cues", "condition").search(name)
    is_member = mention.thing != wanted.thing and wanted.thing not in _classes()
    if is_member or not (mention.sure or is_conditional):
        return _Held.MAYBE
    given = manner(mention.around)
    for key, values in manner(text_beside(wanted.around)).items():
        there = given.get(key) or {value for at, value in _BY_DEFAULT if at == key}
        matters = key not in _NO_MATTER or wanted.thing in plan.timed
        if matters and not values <= there:
            return _Held.SOME if key in given or mention.thing in _classes() else _Held.MAYBE
    asked = doses(wanted.around)
    is_dose = not asked or any(min(asked) <= dose <= max(asked) for dose in doses(mention.around))
    return _Held.YES if is_dose else _Held.MAYBE


def _covered(wanted: str, text: str) -> float:
    """Return which share of the words, or of the pairs of characters, a text has."""
    if is_chinese(wanted):
        there = chinese(text)
        pairs = [word[at : at + 2] for word in wanted.split() for at in range(max(1, len(word) - 1))]
        return sum(pair in there for pair in pairs) / len(pairs)
    said, needed = frozenset(words(text)), words(wanted)
    return sum(word in said for word in needed) / len(needed) if needed else 1


def _text_held(name: str, plan: Plan, is_alone: bool) -> _Held:
    """Check a part that names no known drug or procedure by its words and its manner.

    If the record names none at all, it may be the one that the plan names.
    """
    wanted, asked, given = beside(name), manner(name), manner(plan.text)
    share = _covered(wanted, plan.text)
    if share == 1 and (wanted or asked) and all(values & given.get(key, set()) for key, values in asked.items()):
        return _Held.YES
    return _Held.MAYBE if plan.unread or not wanted or share or is_alone else _Held.NO


def _turned_down(wanted: Concept, name: str, plan: Plan) -> _Held:
    """Check a part that asks to stop a drug, or to do without it."""
    if any(mention.sure and _relation(wanted, mention.thing) is _Held.YES for mention in plan.mentions):
        return _Held.NO
    if any(_relation(wanted, thing) or _relation(thing, wanted) is _Held.YES for thing in plan.turned_down):
        return _Held.YES
    return _Held.NO if _STOP.search(name) and not plan.unread else _Held.MAYBE


def _timed(truth: Treatment) -> set[Concept]:
    """Return what is unsafe at another time or for another span."""
    names = [name for each in truth.unsafe for name in each.names if _NO_MATTER & manner(name).keys()]
    return {thing for name in names for thing in things(name)}


def _settled(found: Iterable[_Held | None]) -> _Held | None:
    """Return the surest of several answers; None says that the manner is another one, and makes a yes unsure."""
    told = {*found}
    if None in told:
        return _Held.MAYBE if _Held.YES in told else None
    return max(filter(None, told), default=_Held.NO)


def _harm(name: str, plan: Plan, own: list[Mention]) -> _Held | None:
    """Return whether a plan recommends what one unsafe name says; None if it says another manner."""
    wanted = read_plan(name).mentions
    if not wanted:
        is_stopped = any(_relation(each, thing) for each in _stopped(name) for thing in plan.turned_down)
        is_stopped = is_stopped and manner(name).items() <= manner(plan.said).items()
        left = beside(name)
        return _Held.MAYBE if is_stopped or (left and _covered(left, ". ".join(plan.unread)) == 1) else _Held.NO
    good = {mention.thing for mention in own}
    harmful = [each for each in wanted if each.thing not in good] or wanted
    found = [_settled(_harmful(each, name, mention, plan, own) for mention in plan.mentions) for each in harmful]
    is_one_kind = len({code[:3] for each in harmful for code in each.thing.kin}) == 1
    if is_one_kind or _ANY_OF.search(name):
        return _settled(found)
    return None if None in found else min(each for each in found if each is not None)


def _harmful(wanted: Mention, name: str, mention: Mention, plan: Plan, own: list[Mention]) -> _Held | None:
    """Compare an unsafe thing, in the manner that makes it unsafe, with a mention; None if its manner is another."""
    good = {each.thing for each in own}
    relation = _relation(wanted.thing, mention.thing)
    if relation is not _Held.YES or (mention.thing != wanted.thing and mention.thing in good):
        is_near = relation and mention.thing not in good and not any(_relation(mention.thing, each) for each in good)
        return _Held.MAYBE if is_near else _Held.NO
    given, asked = manner(mention.around), manner(text_beside(wanted.around))
    recorded = [dose for each in own if each.thing == mention.thing for dose in doses(each.around)]
    taken = doses(mention.around)
    if recorded and taken and max(taken) > _TOO_HIGH * max(recorded):
        given.setdefault("dose", {"high"})
    is_dosed = bool(asked or numbers(wanted.around))
    is_recorded_dose = bool(is_dosed and recorded and taken) and max(taken) <= max(recorded)
    if is_recorded_dose or any(key in given and not values & given[key] for key, values in asked.items()):
        return None
    left = beside(name)
    share = _covered(left, plan.text)
    if left and share < 1:
        return _Held.NO if mention.thing in good or (wanted.thing in _classes() and not share) else _Held.MAYBE
    unsaid = {key for key, values in asked.items() if given.get(key) != values}
    if mention.thing in good and unsaid:
        return _Held.NO
    is_warned = mention.thing in plan.turned_down  # it says both: the reader has to decide
    is_sure = mention.sure and not is_warned and not unsaid and numbers(wanted.around) <= numbers(mention.around)
    return _Held.YES if is_sure else _Held.MAYBE


def _with_misspelt(plan: Plan, truth: Treatment) -> Plan:
    """Add the drugs of the record that the plan names with a slip of the pen; what is unsafe is not sure then."""
    unsafe = {thing for each in truth.unsafe for name in each.names for thing in things(name)}
    names = (*(name for each in (truth, *truth.parts) for name in each.names), *truth.alternatives)
    wanted = (unsafe | {thing for name in names for thing in things(name)}) - {each.thing for each in plan.mentions}
    rest = words_beside(plan.text)
    found = [
        (drug, slip)
        for drug in wanted
        for name in drug.names
        if script(name) is script(plan.text) and (slip := _misspelt(rest, name))
    ]
    unread = tuple(piece for piece in plan.unread if not any(slip in piece.casefold() for _, slip in found))
    slips = tuple(Mention(drug, plan.text, drug not in unsafe) for drug, _ in found)
    return plan._replace(mentions=plan.mentions + slips, unread=unread)


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
