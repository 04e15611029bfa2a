"""What an English question asks, so that `No.` or `Three weeks.` can be understood."""

from __future__ import annotations

import re
from dataclasses import replace

from osler.memory.tim.extract.clauses import Question, listed
from osler.memory.tim.extract.english_grammar import expand, find_verb
from osler.memory.tim.extract.english_words import BASES, DETERMINERS, MODIFIERS, PREPOSITIONS, TIME, third_person
from osler.records.language import Language
from osler.words import sentences

PATIENT = "patient"
COMPLAINT = "complaint"
_LONGEST = 14
_LEAD = re.compile(
    r"^(?:(?:and|so|ok|okay|thank you|thanks|alright|all right|well|now|i see|sorry|then|also|please)[,.]?\s+)*"
    r"(?:(?:can|could|would) you (?:please )?(?:tell|describe|say)(?: me)?(?: about)?,?\s+|do you know\s+|"
    r"tell me(?: about)?\s+)?",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r",? (?:and )?(?:if so,? )?(?:what|which|how) (?:did|was|were|is|are|does|do|has|much|high)\b.*$|"
    r",? and (?:was|were|did|do|does|is|are)\b.*$",
    re.IGNORECASE,
)
_SECOND = re.compile(
    r",? (?:and|or) (?:what|which|how|when|where|why|who|if|does|do|did|is|are|has|have|was|were|can)\b.*$",
    re.IGNORECASE,
)
_WHOLE = re.compile(r",|\bsuch as\b|^other\b|\bsymptoms?\b|\bthat\b|\bwhat\b", re.IGNORECASE)
_OPENING = 3
"""Words within which a value shows what it is."""
_PHRASE = 6
"""Words that a name may have."""
_OF_LIFE = re.compile(r"\band what (?:is|are) your\b", re.IGNORECASE)
_TIMES = re.compile(
    rf"\d|{TIME.pattern}|\b(?:second|minute|hour|day|night|week|month|year|decade|morning|afternoon|evening|noon|midnight|"
    r"birth|childhood|young|always|ago|since|after|before|when|while|during|until|on and off|once|twice|times|"
    r"suddenly|gradually|recently|long|spring|summer|autumn|fall|winter)s?\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(r"\b(?:level|count|rate|pressure|temperature|pulse|weight|height|saturation)\b", re.IGNORECASE)
_MEASURED = re.compile(
    r"\d|\b(?:high\w*|low\w*|normal\w*|fine|raised|elevated|increased|decreased|good|bad|fast|slow|regular|irregular|mild|"
    r"moderate|severe|positive|negative|one|two|three|four|five|six|seven|eight|nine|ten|hundred)\b",
    re.IGNORECASE,
)
_FITTING = {
    "began": _TIMES,
    "lasts": _TIMES,
    "happens": re.compile(
        rf"{_TIMES.pattern}|\b(?:daily|weekly|monthly|constantly|rarely|sometimes|often|all)\b", re.IGNORECASE
    ),
    "has severity": re.compile(
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|mild\w*|moderate\w*|severe\w*|bad\w*|worst|strong\w*|"
        r"intense|terrible|awful|unbearable|bearable|slight\w*|little|very|extreme\w*|excruciating|agonizing|light)\b",
        re.IGNORECASE,
    ),
}
_OR = re.compile(
    r",? or (?:have|do|did|are|is|was|could|has|does|can) (?:you|it|there|he|she|others|anyone|the|your)\b.*$",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"^(?:when|if|after|while|before)\b[^,]*, (?=(?:do|did|does|is|are|has|have|was)\b)", re.IGNORECASE
)
_OWNER = re.compile(
    r"\b(?:your child's|your baby's|your|you|the patient's|his|her|he|she|the child|the patient)\b ?", re.IGNORECASE
)
_WHO = r"(?:you|he|she|they|we|your (?:child|son|daughter|baby|mother|father|wife|husband)|the (?:child|patient|baby))"
_OFTEN = r"(?:(?:ever|also|still|recently|currently|lately|usually|already|regularly|noticed|now|been)\s+)*"
_HAVING = (
    r"(?:have|had|having|got|get|seen|notice|noticed|experience|experienced|experiencing|felt|feel|"
    r"suffer from|"
    r"suffered from)"
)
_QUALITIES = listed("severe bad sharp dull strong sudden small large harsh dry wet")
_PARTICIPLE = re.compile(r"(?:been|become|come|gone|got|begun|spread|\w{3,}ed)$", re.IGNORECASE)
TESTED = re.compile(
    r"\b(?:checked|measured|tested|examined|x-ray|scan|ct|mri|ecg|ultrasound|test|tests|biopsy|puncture|swab|culture)\b"
    r"|\w+(?:scopy|graphy|gram)\b",
    re.IGNORECASE,
)


def read_question(text: str) -> Question:
    """How a reply that leaves things out is completed."""
    question = _understood(text)
    topic = question.topic
    whole = _WHOLE.search(topic) or len(topic.split()) > _PHRASE
    return replace(question, thing=COMPLAINT if whole else topic)


def _understood(text: str) -> Question:
    asked = [part for part in sentences(text, Language.EN) if part.endswith("?")] or sentences(text, Language.EN)
    if not asked:
        return _loose("")
    line = _LEAD.sub("", asked[0].strip()).rstrip("?!. ").strip()
    line = re.sub(r"\s*\([^)]*\)", "", line)
    line = _BEFORE.sub("", line)
    if line.lower().startswith(("what", "which", "how", "when", "where", "since when", "why", "who")):
        return _attribute(_SECOND.sub("", line)) or _named_things(line) or _loose(_SECOND.sub("", line))
    body = _OR.sub("", _RESULT.sub("", line))
    examined = body != line and _RESULT.search(line) is not None and not _OF_LIFE.search(line)
    question = _confirmed(body) or _attribute(body) or _polar(body, examined) or _loose(body)
    # Of two questions in one, a bare value may answer either.
    return replace(question, value="says") if _OF_LIFE.search(line[len(body) :]) else question


def fits(relation: str, value: str, topic: str) -> bool:
    """Whether words without a verb can be the value that was asked for; if not, they are only what was said."""
    if relation == "is" and _MEASURE.search(topic):
        return _MEASURED.search(value) is not None
    pattern = _FITTING.get(relation)
    return pattern is None or pattern.search(" ".join(value.split()[:_OPENING])) is not None


def short(text: str) -> str:
    """A noun phrase without its article and without whose it is."""
    text = _OWNER.sub("", text.strip(" ,?."))
    text = re.sub(r"^(?:(?:any|a|an|the|some|this|that|these|more of)\s+)+", "", text, flags=re.IGNORECASE)
    kept = " ".join(text.split()[:_LONGEST]).strip(" ,")
    # What is too long ends where a phrase ends, and not in the middle of one.
    return (
        kept
        if len(kept) >= len(text.strip(" ,"))
        else re.sub(r"(?:,| or| and| such as| that)(?! .*(?:,| or | and )).*$", "", kept)
    )


def _value(topic: str, relation: str, holder: str = "") -> Question:
    topic = topic or "complaint"
    return Question(topic, PATIENT, "has", "does not have", topic, holder or topic, relation, topic)


_ATTRIBUTES = (
    (
        rf"(?:for )?how (?:long|many (?:days|weeks|months|years|hours)) (?:have|has|had|did|does|do|is|are|"
        rf"was) (?:{_WHO} )?(?:had |been having |been )?(?P<t>.*)",
        "lasts",
    ),
    (r"how old\b.*", "is aged"),
    (r"how much (?:do|does) \w+ weigh\b.*", "weighs"),
    (r"how tall\b.*", "has height"),
    (r"how (?:bad|severe|strong|intense|painful) (?:is|was|are) (?P<t>.*)", "has severity"),
    (r"how often (?:do|does|did|have|has|is|are) (?:you )?(?:have )?(?P<t>.*)", "happens"),
    (
        r"(?:when|since when) (?:did|was|were|has|have|is) (?:you (?:first )?(?:notice|get|have|"
        r"have had) )?(?P<t>.*?)(?: first)?(?: start(?:ed)?| begin| began| come on| appear|"
        r" happen)?(?: first)?",
        "began",
    ),
    (r"where (?:exactly )?(?:is|are|does|do|was|did) (?P<t>.*?)(?: hurt)?", "is located"),
    (r"what (?:dose|amount) of (?P<t>.*?)(?: do| are| did) .*", "has dose"),
    (r"(?:what|which) (?:other )?(?:medicines?|medications?|tablets|pills|drugs|treatment)\b.*", "takes"),
    (r"which (?P<p>\w+(?: \w+)?) (?:hurts?|aches|is (?:painful|affected|swollen))", "is"),
    (r"what (?:did|does|do) (?P<t>.*?) (?:show|reveal|find|say|tell)\b.*", "shows"),
    (
        r"(?:what|how) (?:brings|can i|seems|are you|do you feel|is wrong|is the (?:matter|problem|trouble)|"
        r"is bothering|happened)\b.*",
        "says",
    ),
    (r"(?:what|which) (?:is|was|are|were) (?P<t>.*?)(?: when\b.*| now)?", "is"),
    (r"how (?:many|much) (?P<t>.*?)(?: do| did| have| are| is)(?: .*)?", "is"),
)
_THINGS = re.compile(
    r"(?:what|which) (?P<what>(?:other |previous |serious )*(?:illness(?:es)?|disease|condition|operation|"
    r"surger(?:y|ies)|symptom|problem|complaint|injur(?:y|ies)|allerg(?:y|ies)|finding|test)s?)\b(?P<more>.*)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r",? (?:that|which|who|such as)\b.*$", re.IGNORECASE)
_OF_PATIENT = frozenset({"is aged", "weighs", "has height", "takes", "says"})


def _confirmed(line: str) -> Question | None:
    """`The left ear, is that right?`: a name to agree with."""
    found = re.fullmatch(r"(?P<what>.+?),? (?:is that (?:right|correct|so|it)|right|correct|yes)", line, re.IGNORECASE)
    if not found or find_verb(expand(found["what"])):
        return None
    what = short(found["what"])
    return Question("complaint", "complaint", "is", "is not", what, "complaint", "is", f"whether it is {what}")


def _attribute(line: str) -> Question | None:
    for pattern, relation in _ATTRIBUTES:
        found = re.fullmatch(pattern, line, re.IGNORECASE)
        if found:
            named = short(found.groupdict().get("t") or "")
            if found.groupdict().get("p"):
                named = f"painful {found['p']}"
            if relation in _OF_PATIENT:
                topic = {"takes": "medicines", "is aged": "age", "weighs": "weight", "has height": "height"}
                return _value(topic.get(relation, "complaint"), relation, PATIENT)
            if named.lower() in {"", "it", "this", "that", "hurt", "been going on", "it been"}:
                named = "complaint"
            named = re.sub(r"\bbeen\s+", "", _CLAUSE.sub("", named))
            return replace(_value(named, relation), examined=relation == "shows")
    return None


def _named_things(line: str) -> Question | None:
    """`Which illnesses have you had in the past?`: things to be named, or none."""
    found = _THINGS.fullmatch(line)
    if not found:
        return None
    where = re.search(r"\bin (?:the|your) (?:past|family)\b|\bin childhood\b", found["more"], re.IGNORECASE)
    family = re.search(r"\bfamily\b", found["more"], re.IGNORECASE)
    place = " in the family" if family else f" {short(where[0])}" if where else ""
    topic = f"{found['what'].lower()}{place}"
    return Question(topic, PATIENT, "has", "does not have", topic, topic, "says", topic)


def _polar(line: str, examined: bool) -> Question | None:
    examined = examined or bool(re.match(rf"(?:have|has|did|was|were)\b.*{TESTED.pattern}", line, re.IGNORECASE))
    about_patient = _of_patient(line, examined)
    if about_patient:
        return about_patient
    found = re.fullmatch(r"(is|are|was|were|does|do|did|has|have|can|could|will) (.+)", line, re.IGNORECASE)
    return _of_thing(found[1].lower(), found[2], examined) if found else None


def _of_patient(line: str, examined: bool) -> Question | None:
    patterns = (
        (rf"(?:do|does|did) {_WHO} {_OFTEN}{_HAVING} (.+)", "has", "does not have"),
        (rf"(?:have|has|had) {_WHO} {_OFTEN}{_HAVING} (.+)", "has had", "has not had"),
        (r"(?:is|are|was|were) there (.+)|any (.+)", "has", "does not have"),
    )
    for pattern, yes, no in patterns:
        found = re.fullmatch(pattern, line, re.IGNORECASE)
        if found:
            topic = short(next(group for group in found.groups() if group))
            topic = re.sub(r"\s+(?:checked|measured|taken|done|examined)$", "", topic)
            yes, no = (yes, no) if examined else ("has", "does not have")
            value = "" if examined else "is"
            return Question(topic, PATIENT, yes, no, topic, topic, value, topic, examined, presumed=examined)
    found = re.fullmatch(rf"(?:do|does|did) {_WHO} {_OFTEN}(\w+)(?: (.+))?", line, re.IGNORECASE)
    if found:
        verb, topic = found[1].lower(), short(found[2] or "")
        verb_yes, verb_no = third_person(verb), f"does not {verb}"
        return Question(
            topic or verb, PATIENT, verb_yes, verb_no, topic, PATIENT, verb_yes, _whether(PATIENT, verb_yes, topic)
        )
    found = re.fullmatch(rf"(?:have|has) {_WHO} {_OFTEN}(\w+)(?: (.+))?", line, re.IGNORECASE)
    if found:
        topic = short(found[2] or "")
        yes = f"has {found[1].lower()}"
        no = yes.replace("has", "has not", 1)
        value, matter = "" if examined else "is", _whether(PATIENT, yes, topic)
        return Question(topic or found[1], PATIENT, yes, no, topic, topic or PATIENT, value, matter, examined)
    found = re.fullmatch(
        rf"(?:are|is|were|was) {_WHO} {_OFTEN}(allergic to|on|taking|\w+ing)?\s*(.*)", line, re.IGNORECASE
    )
    if found:
        yes, topic = f"is {found[1].lower()}" if found[1] else "is", short(found[2])
        no, matter = yes.replace("is", "is not", 1), _whether(PATIENT, yes, topic)
        return Question(topic or yes, PATIENT, yes, no, topic, PATIENT, yes, matter)
    return None


def _whether(subject: str, yes: str, rest: str) -> str:
    return " ".join(filter(None, ("whether", subject, yes, rest)))


def _of_thing(verb: str, rest: str, examined: bool) -> Question:
    """A question about a thing: `is the pain ...`, `does it spread ...`, `has the throat been ...`."""
    subject, words = _parted(rest, verb in {"has", "have"})
    if verb in {"does", "do", "did"} and words:
        # `the pain in the belly spread`: the subject goes on to the verb.
        place = next((place for place, word in enumerate(words) if word.lower() in BASES), 0)
        if words[0].lower() in PREPOSITIONS and place:
            subject, words = " ".join([subject, *words[:place]]), words[place:]
        base = words[0].lower()
        yes, no, words = third_person(base), f"does not {base}", words[1:]
    elif verb in {"has", "have"} and words:
        yes, no, words = f"has {words[0]}", f"has not {words[0]}", words[1:]
    else:
        yes, no = {"is": ("is", "is not"), "are": ("is", "is not")}.get(verb, (verb, f"{verb} not"))
    if words and words[0].lower() in {"to", "in", "on", "after", "down"} and yes not in {"is", "was"}:
        yes, no, words = f"{yes} {words[0]}", f"{no} {words[0]}", words[1:]
    object_ = " ".join(words)
    topic = subject
    if re.search(r"\b(?:doctor|anyone|anybody|someone|specialist)$", subject):
        topic = re.sub(r"^(?:at|with|for|in|by|the|\W)+\s+", "", object_) or object_ or subject
    value = "" if examined else "is"
    matter = _whether(subject, yes, object_)
    return Question(topic, subject, yes, no, object_, topic, value, matter, examined, presumed=examined)


def _parted(rest: str, perfect: bool) -> tuple[str, list[str]]:
    """The subject of a question and what is asked of it."""
    pointed = re.match(r"(?:it|this|that)\b\s*(?!pain\b|cough\b)", rest, re.IGNORECASE)
    if pointed:
        return "complaint", rest[pointed.end() :].split()[:_LONGEST]
    words = short(rest).split() or ["complaint"]
    if perfect:
        size = next((place for place, word in enumerate(words) if place and _PARTICIPLE.match(word)), 1)
        return " ".join(words[:size]), words[size:]
    size = 1
    while size < len(words) - 1 and (words[size - 1].lower() in MODIFIERS | DETERMINERS | _QUALITIES):
        size += 1
    if size < len(words) and words[size].lower() == "of" and len(words) > size + 3:
        size += 3 if words[size + 1].lower() in DETERMINERS else 2
    return " ".join(words[:size]), words[size:]


def _loose(line: str) -> Question:
    topic = short(re.sub(r"^(?:what|which|how|why|who)\b\s*", "", line, flags=re.IGNORECASE)) or "complaint"
    return Question(topic, PATIENT, "says yes to", "says no to", topic, topic, "says", topic)
