"""Holds a drafted reply against what is kept, so that a doctor does not speak against what the patient said.

A sentence that denies a fact is as near to its words as one that repeats it. Cosines therefore say what a clause is
about, and the words that deny say on which side it stands.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from osler.memory.embedders.base import Embedder, Vectors
from osler.memory.tim.perturb import (
    KIN,
    NEGATION,
    SIDES,
    VALUES,
    joined,
    perturb,
    spoken_relation,
    told,
    turned,
)
from osler.memory.tim.relations import is_single, says
from osler.memory.tim.thought import Status, Thought
from osler.records.language import Language
from osler.words import content, numbers, plain, sentences

MOST = 3
"""Conflicts that are told; a doctor who is asked again can mend no more at once."""
LEAST_DELTA, MOST_DELTA = 0.05, 0.8
_POLARITY = 0.25
"""What the side of a clause counts beside the cosine."""
_MARGIN = 0.1
"""How much nearer a clause has to be to the perturbed fact than to the fact."""
_SAMPLE = 10
"""Thoughts from which delta is found; each costs an embedding."""
_CANDIDATES = 4
"""Pairs of clause and thought whose cosines are looked at, those with most words in common first."""
_RELATED = 0.97
"""The quantile of cosines above which two thoughts of one memory may well be about one thing."""


@dataclass(frozen=True)
class Conflict:
    """A sentence of a draft that speaks against a thought."""

    thought: Thought
    sentence: str
    perturbed: str
    """The perturbed thought that the sentence is nearest to: what it would have the doctor believe."""
    score: float
    """Cosine and polarity together, at most 1."""


@dataclass(frozen=True)
class _Clause:
    """A part of a sentence that has one polarity."""

    sentence: str
    text: str
    affirmed: str
    """What it says to be so."""
    denied: tuple[str, ...]
    """What it says not to be so, each alternative with what stands before the negation."""
    gives: bool
    """Whether a treatment is given in it."""
    real: bool
    """Whether it says how things are; a plan, a condition and advice do not."""
    kin: frozenset[str]
    marks: frozenset[str]
    """What it has in common with whatever it may be about; see `_marks`."""


@dataclass(frozen=True)
class _Stance:
    """On which side of a thought a clause stands, and by which of the words."""

    against: bool
    terms: frozenset[str]


_AFTERWARDS = {
    Language.EN: re.compile(
        r"\b(?:is|are|was|were|has been|have been) (?:absent|not (?:present|there|found|seen|detected)|ruled out|"
        r"excluded|denied)\b"
    ),
    Language.ZH: re.compile(r"(?:均|都|已)?(?:没有|无|不存在|被?排除了?)$"),
}
_LASTS_ON = {
    Language.EN: re.compile(
        r"(?:\bnot|n't|\bno)\b.{0,14}\b(?:gone|resolv\w+|improv\w+|settl\w+|stopp?\w*|better|worse\w*|"
        r"come down|chang\w+|relie\w+|clear\w*)\b"
    ),
    Language.ZH: re.compile(r"(?:没有?|未|不)(?:见|再)?(?:明显)?(?:退|消|好转|缓解|减轻|改善|停|变|加重|变化)"),
}
"""A thing that has not gone is there."""
_OF_SOMETHING_ELSE = {
    Language.EN: re.compile(
        r"\bno (?:reason|cause|explanation|need|point|idea|danger|harm|wonder)\b"
        r"|\bnot (?:because|due|from|sure|certain|know)\b|\b(?:has|have) (?:gone|resolved|settled|stopped|cleared)\b"
    ),
    Language.ZH: re.compile(
        r"不(?:清楚|确定|知道|明确|支持|像|太像|考虑|符合)|没有?(?:必要|原因|关系)|(?:已经?)(?:退|消|好)了"
    ),
}
"""Negations that leave open whether the thing is there."""
_UNREAL = {
    Language.EN: re.compile(
        r"\b(?:if|unless|whether|should|must|may|might|could|would|can|will|shall|let's|avoid|prevent\w*|"
        r"watch(?: out)? for|in case|risk of|once|aim\w*|target|goal|keep|below|normal(?:ly)? (?:is|range)|stop)\b"
        r"|^(?:please |then |and )*(?:do not|don't|never|take|start|give|stop|continue|avoid|come|return|use)\b"
    ),
    Language.ZH: re.compile(
        r"如果|要是|若|假如|万一|一旦|除非|是否|可能|也许|应该|建议|避免|预防|防止|以免|注意|不要|别(?!的)|不能|不可|不宜|停用|停止|停服|"
        r"将|会(?!议)|目标|控制在|以下|风险|请(?!问)"
    ),
}
_GIVES = {
    Language.EN: re.compile(
        r"\b(?:give|start|prescribe|take|begin|treat\w* with|treatment\W|put you on|continue|inject|receive)\b"
    ),
    Language.ZH: re.compile(r"给予|给您|给你|予|开(?!始|车)|服用|口服|静滴|静脉|输|治疗[:为用]|使用|用(?!力)"),
}
_CLAUSE = {
    Language.EN: re.compile(
        r"[,;:.!?()]+(?:\s+|$)|\b(?:but|because|since|although|though|while|whereas|so|"
        r"which|that|however|therefore|given|as(?= (?:you|your|there|it|the)\b))\b"
        r"|\band (?=(?:no|not|without|you|your|have|has|had|the|there|it|i|we|is|are|take|do)\b)"
    ),
    Language.ZH: re.compile(
        r"[，；：。！？,;:!?（）()]+|但是?|因为|由于|所以|因此|虽然|而且|不过(?!敏)|既然|而(?=[没不无])"
    ),
}
_OPEN_QUESTION = {
    Language.EN: re.compile(
        r"^(?:and |so |then )*(?:how (?:long|high|bad|often|severe|many|much)|when|where|since when)\b"
    ),
    Language.ZH: re.compile(r"多久|多长时间|什么时候|何时|多少度|几度|多高|多严重|多厉害|几次"),
}
"""Questions that take the thing they ask about for granted."""
_POLAR = re.compile(
    r"^(?:and |so |then )*(?:do|does|did|have you|has|is|are|was|were|can|could|any|what|which|who|why|tell me|would)\b"
)
_ALTERNATIVE = {
    Language.EN: re.compile(r"\s*(?:,|\bor\b|\band\b|\bnor\b)\s*"),
    Language.ZH: re.compile(r"[、，或和及与]|以及|还是"),
}
_LISTED = {Language.EN: re.compile(r"\b(?:or|nor)\b"), Language.ZH: re.compile(r"[、或和及与]")}
"""Where the parts of an object are alternatives and not a description."""
_FOR_IT = {
    Language.EN: re.compile(r"\b(?:for|against|about|any|of getting|signs? of)\s+(?:a |the |your )?$"),
    Language.ZH: re.compile(r"(?:针对|有没有|关于|有无)$"),
}
_VERBS = frozenset({"tak", "us", "drink", "eat", "吃", "服用", "用", "喝", "做", "打"})
"""Verbs that say nothing without their object."""
_ALLERGY = re.compile(r"allerg|anaphyla|过敏")
_EMPTY_EN = (
    "known know sign evidence histor history symptom report current previou medication antibiotic today tonight moment "
    "far anymor longer still mention told show reveal found find see seen think believ mean make made present absent "
    "exclud rul deni deny confirm suffer develop good glad sinc mg daily day"
)
_EMPTY_ZH = (
    "任何 药物 药 病史 史 既往 目前 今天 症状 明显 显示 提示 提到 说过 考虑 已经 并 既然 存在 诉 自述 确认 否认 "
    "伴 伴有 才 只 只有 因 不 无 未 为 位于"
)
_DROPPED = {Language.EN: frozenset(_EMPTY_EN.split()), Language.ZH: frozenset(_EMPTY_ZH.split())}
"""Words that do not tell one fact from another."""
_SAME = {
    Language.EN: (
        (r"\b(?:high|raised) temperature\b|\bfebrile\b", "fever"),
        (r"\bhigh blood pressure\b", "hypertension"),
        (r"\b(?:radiat|travel|shoot)(e?s|ed|ing)\b", r"spreads"),
        (r"\b(?:loose|watery) stools?\b", "diarrhoea"),
        (r"\bthrow(?:ing|s)? up\b|\bthrew up\b|\bbeing sick\b", "vomiting"),
        (r"\bshort of breath\b", "shortness of breath"),
    ),
    Language.ZH: (
        (r"发烧|烧到|低烧|高烧", "发热"),
        (r"抽烟|吸烟|抽(?=$| )", "烟"),
        (r"喝酒", "饮酒"),
        (r"口服|吃(?=.{0,4}药)", "服用"),
        (r"拉肚子", "腹泻"),
        (r"肚子痛", "腹痛"),
        (r"呕吐|吐(?=$|了|过)", "呕吐"),
        (r"([左右])(?:侧|边|面)", r"\1"),
        (r"痛痛|疼痛", "痛"),
    ),
}
_COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_DIGITS = {word: number for row in (_COUNTED, "一二三四五六七八九十") for number, word in enumerate(row, 1)} | {"两": 2}
_NUMERAL = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b|[一二两三四五六七八九十](?=个?(?:天|周|星期|月|年|小时))"
)
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*个?\s*(hour|day|week|month|year|小时|天|周|星期|月|年|岁|°?\s*c\b|[a-z%°/]+)?")
_HOURS = {
    **{"hour": 1, "day": 24, "week": 168, "month": 730, "year": 8760},
    **{"小时": 1, "天": 24, "周": 168, "星期": 168, "月": 730, "年": 8760},
}
_TIME, _SLACK = "time", 0.15
_BEING = re.compile(r"^(?:is|was|are|were|为|是|had been|has been)$")
_AGE = re.compile(r"\bage|岁|年龄")
_OLD = re.compile(r"\b(?:years? old|year-old|aged?)\b|岁|年龄")


async def conflicts(draft: str, thoughts: Sequence[Thought], embedder: Embedder, language: Language) -> list[Conflict]:
    """Where a draft speaks against what is kept, most certain first.

    Nothing is learned from it: every text is embedded as a query.
    """
    kept = [thought for thought in thoughts if thought.status is Status.ACTIVE and thought.certainty > 0]
    suspects = _suspects(draft, kept, language)
    if not suspects:
        return []
    sample = [told(thought, language) for thought in _sample(kept)]
    texts = [*sample]
    for clause, thought in suspects:
        texts += [clause.text, told(thought, language), *perturb(thought, language)]
    rows = await _rows(embedder, texts)
    delta = adaptive_delta(np.stack([rows[text] for text in sample]))
    best: dict[int, Conflict] = {}
    for clause, thought in suspects:
        perturbed, said = perturb(thought, language), rows[clause.text]
        cosines = [float(rows[text] @ said) for text in perturbed]
        nearest = int(np.argmax(cosines))
        score = _leaning(cosines[nearest], 1)
        same = _leaning(float(rows[told(thought, language)] @ said), -1)
        if cosines[nearest] <= delta or score - same <= _MARGIN:
            continue
        if thought.id not in best or best[thought.id].score < score:
            best[thought.id] = Conflict(thought, clause.sentence, perturbed[nearest], score)
    return sorted(best.values(), key=lambda conflict: (-conflict.score, conflict.thought.id))[:MOST]


def adaptive_delta(vectors: Vectors) -> float:
    """How near two texts of this memory are that have nothing to do with each other, and a little more.

    Args:
        vectors: Thoughts of the memory, rows of unit length. Their nearest pairs may be related and do not count.

    Returns:
        Mean and two standard deviations of their cosines, within bounds.
    """
    if len(vectors) < 3:
        return LEAST_DELTA
    cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
    unrelated = cosines[cosines <= np.quantile(cosines, _RELATED)]
    if not len(unrelated):
        return LEAST_DELTA
    return min(max(float(unrelated.mean() + 2 * unrelated.std()), LEAST_DELTA), MOST_DELTA)


def _leaning(cosine: float, side: int) -> float:
    """The cosine of two rows that have one more number each: the side they are on."""
    return float((cosine + _POLARITY * side) / (1 + _POLARITY))


async def _rows(embedder: Embedder, texts: Iterable[str]) -> dict[str, NDArray[np.float32]]:
    """A row for each text, which is embedded once however often it is needed."""
    wanted = list(dict.fromkeys(texts))
    rows = await asyncio.gather(*(embedder.embed_query(text) for text in wanted))
    return dict(zip(wanted, rows, strict=True))


def _sample(thoughts: Sequence[Thought]) -> list[Thought]:
    """Thoughts from the whole length of the memory."""
    places = np.linspace(0, len(thoughts) - 1, min(_SAMPLE, len(thoughts))).round().astype(int)
    return [thoughts[place] for place in places.tolist()]


def _suspects(draft: str, thoughts: Sequence[Thought], language: Language) -> list[tuple[_Clause, Thought]]:
    """Clauses that by their words speak against a thought, unless another thought says the same as they do."""
    clauses = _clauses(draft, language)
    if not clauses:
        return []
    claims = [
        (thought, _claim(thought.subject, spoken_relation(thought, language), thought.object, language))
        for thought in thoughts
    ]
    found: list[tuple[int, _Clause, Thought]] = []
    for clause in clauses:
        stances = [(thought, _stance(clause, claim, thought, language)) for thought, claim in claims]
        backed = [stance.terms for _, stance in stances if stance and not stance.against]
        found += [
            (len(stance.terms), clause, thought)
            for thought, stance in stances
            if stance and stance.against and not any(stance.terms <= terms for terms in backed)
        ]
    found.sort(key=lambda one: -one[0])
    return [(clause, thought) for _, clause, thought in found[:_CANDIDATES]]


def _canonical(text: str, language: Language) -> str:
    """One spelling, one word for a thing, digits for small numbers."""
    level = plain(text)
    if language is Language.ZH:
        level = level.replace("疼", "痛")
    for pattern, instead in _SAME[language]:
        level = re.sub(pattern, instead, level)
    return _NUMERAL.sub(lambda found: str(_DIGITS[found[0]]), level)


def _clauses(draft: str, language: Language) -> list[_Clause]:
    """What the draft says to be so; what it asks is left out, but not what a question takes for granted."""
    found: list[_Clause] = []
    for sentence in sentences(draft, language):
        asks = sentence.rstrip().endswith(("?", "？"))
        parts = [
            part.strip() for part in _CLAUSE[language].split(_canonical(sentence, language)) if part and part.strip()
        ]
        for place, part in enumerate(parts):
            asked = (asks and place == len(parts) - 1) or bool(_POLAR.search(part))
            if not asked or _OPEN_QUESTION[language].search(part):
                found.append(_clause(sentence, part, language))
    return found


def _clause(sentence: str, part: str, language: Language) -> _Clause:
    affirmed, denied = _sides(part, language)
    return _Clause(
        sentence=sentence,
        text=part,
        affirmed=affirmed,
        denied=denied,
        gives=_GIVES[language].search(part) is not None,
        real=_UNREAL[language].search(part) is None,
        kin=frozenset(KIN[language].findall(part)),
        marks=_marks(part, language),
    )


def _sides(part: str, language: Language) -> tuple[str, tuple[str, ...]]:
    """What a clause affirms and what it denies."""
    negation, after = NEGATION[language].search(part), _AFTERWARDS[language].search(part)
    if negation and _LASTS_ON[language].search(part):
        return part[: negation.start()], ()
    if _OF_SOMETHING_ELSE[language].search(part):
        return "", ()
    if after and after.start():
        return "", tuple(_ALTERNATIVE[language].split(part[: after.start()]))
    if not negation:
        return part, ()
    before, behind = part[: negation.start()], part[negation.end() :]
    return "", tuple(f"{before} {one}" for one in _ALTERNATIVE[language].split(behind))


def _marks(text: str, language: Language) -> frozenset[str]:
    """Beginnings of words, in Chinese characters: texts that share none have no word in common, in whatever form."""
    terms = _terms(text, language)
    marks = frozenset("".join(terms)) if language is Language.ZH else frozenset(term[:4] for term in terms)
    return marks | {_TIME} if _OLD.search(text) else marks


@dataclass(frozen=True)
class _Claim:
    """What a thought says, ready to be compared."""

    negative: bool
    text: str
    """All of it, without its negation."""
    subject: frozenset[str]
    targets: tuple[frozenset[str], ...]
    """The words that have to be there for the thing to be said, one set for each alternative."""
    kin: frozenset[str]
    marks: frozenset[str]


@lru_cache(maxsize=2048)
def _claim(subject: str, relation: str, thing: str, language: Language) -> _Claim:
    negative = NEGATION[language].search(plain(relation)) is not None
    verb = turned(relation, language) if negative else relation
    inner = None if negative else NEGATION[language].search(plain(thing))
    thing = plain(thing)[: inner.start()] if inner else thing  # what the object denies by itself is not affirmed
    listed = negative and _LISTED[language].search(thing) is not None
    things = [one for one in _ALTERNATIVE[language].split(plain(thing)) if one] if listed else [thing]
    about = _terms(_canonical(subject, language), language)
    targets = []
    for one in things or [""]:
        terms = _terms(_canonical(joined((verb, one), language), language), language)
        bare = not _terms(_canonical(verb, language), language)
        targets.append(terms | about if bare or not one else terms)
    text = _canonical(joined((subject, verb, thing), language), language)
    kin = frozenset(KIN[language].findall(text))
    return _Claim(negative, text, about, tuple(one for one in targets if one - _VERBS), kin, _marks(text, language))


def _stance(clause: _Clause, claim: _Claim, thought: Thought, language: Language) -> _Stance | None:
    """On which side the clause stands; nothing when it is about something else or leaves it open."""
    if clause.kin != claim.kin or clause.marks.isdisjoint(claim.marks):
        return None
    if against := _turns(clause, claim, thought, language):
        return _Stance(True, against)
    if clause.real:
        for target in claim.targets:
            if _affirms(clause, target, language):
                return _Stance(claim.negative, target)
        for scope in clause.denied:
            terms = _terms(scope, language)
            if terms and all(_in(term, claim.text, language) for term in terms):
                return _Stance(not claim.negative, terms)
    return None


def _turns(clause: _Clause, claim: _Claim, thought: Thought, language: Language) -> frozenset[str]:
    """The words by which a clause says the fact with another side, value or number, or gives what is not borne."""
    if claim.negative or not clause.affirmed:
        return frozenset()
    if _ALLERGY.search(claim.text) and clause.gives and not _ALLERGY.search(clause.text):
        terms = _terms(_canonical(thought.object, language), language)
        if terms and all(_in(term, clause.affirmed, language) for term in terms):
            return terms
    if side := _other_side(clause.affirmed, _canonical(thought.object, language), language):
        return side
    things = _terms(_canonical(thought.object, language), language)
    side = _other_side(clause.affirmed, _canonical(thought.subject, language), language)
    if side and all(_in(term, clause.affirmed, language) for term in things):
        return side | things
    known = claim.subject and all(_in(term, clause.affirmed, language) for term in claim.subject)
    if known and clause.real:
        for pair in VALUES[language]:
            for this, that in (pair, pair[::-1]):
                if _only(claim.text, this, that) and _only(clause.affirmed, that, this):
                    return claim.subject | {that}
    if clause.real and _other_number(clause.affirmed, claim, thought, bool(known), language):
        return claim.subject | frozenset(numbers(clause.affirmed))
    return frozenset()


def _other_side(text: str, fact: str, language: Language) -> frozenset[str]:
    """`right` and `knee`, when the fact is about the left knee alone."""
    following = r"\s+(\w+)" if language is Language.EN else r"(.)"
    for pair in SIDES[language]:
        for this, that in (pair, pair[::-1]):
            if not (_only(fact, this, that) and _only(text, that, this)):
                continue
            mark = rf"\b{{}}\b{following}" if language is Language.EN else f"{{}}{following}"
            had = re.search(mark.format(this), fact)
            has = re.search(mark.format(that), text)
            if had and has and had[1] == has[1]:
                return frozenset({that, *_terms(had[1], language)})
    return frozenset()


def _other_number(text: str, claim: _Claim, thought: Thought, known: bool, language: Language) -> bool:
    """Whether the text gives another number, of the same kind, for what has one value at a time."""
    if not (is_single(thought.relation, language) or _BEING.match(plain(thought.relation))):
        return False
    if not known and not (_AGE.search(claim.text) and _OLD.search(text)):
        return False
    had, has = _amounts(_canonical(thought.object, language)), _amounts(text)
    kinds = set(had) & set(has)
    if set(numbers(thought.object)) & set(numbers(text)):
        return False
    return bool(kinds) and all(not _near(kind, had[kind], has[kind]) for kind in kinds)


def _amounts(text: str) -> dict[str, list[float]]:
    """Numbers by unit; lengths of time in hours."""
    found: dict[str, list[float]] = {}
    for number, unit in _AMOUNT.findall(text):
        hours = _HOURS.get(unit)
        kind = _TIME if hours else re.sub(r"[\s°]", "", unit)
        found.setdefault(kind, []).append(float(number) * (hours or 1))
    return found


def _near(kind: str, some: list[float], others: list[float]) -> bool:
    """Whether a number is the same; of a length of time, about the same: three weeks are 20 days."""
    slack = _SLACK if kind == _TIME else 0.0
    return any(abs(one - other) <= slack * max(one, other) for one in some for other in others)


def _affirms(clause: _Clause, target: frozenset[str], language: Language) -> bool:
    if not all(_in(term, clause.affirmed, language) for term in target):
        return False
    return not any(_FOR_IT[language].search(before) for before in _before(clause.affirmed, target))


def _before(text: str, terms: frozenset[str]) -> list[str]:
    places = (text.find(term[:5]) for term in terms)
    return [text[:place] for place in places if place > 0]


@lru_cache(maxsize=8192)
def _terms(text: str, language: Language) -> frozenset[str]:
    """The words that tell one fact from another."""
    bare = NEGATION[language].sub(" ", text)
    return frozenset(word for word in content(bare, language) if word not in _DROPPED[language])


@lru_cache(maxsize=16384)
def _in(term: str, text: str, language: Language) -> bool:
    """Whether a text says a word, in one of its forms."""
    if not term.isascii():
        return re.search(".?".join(map(re.escape, term)), text) is not None
    return any(_related(term, word) for word in content(text, language))


def _related(one: str, other: str) -> bool:
    """`allergic` and `allergy`, `diabetes` and `diabetic`."""
    if one == other:
        return True
    shared = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return shared >= max(4, 0.6 * max(len(one), len(other)))


def _only(text: str, this: str, that: str) -> bool:
    return says(text, this) and not says(text, that)
