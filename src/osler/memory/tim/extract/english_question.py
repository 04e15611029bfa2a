"""What an English question asks, so that `No.` or `Three weeks.` can be understood."""

from __future__ import annotations

import re

from osler.memory.tim.extract.clauses import Question, listed
from osler.memory.tim.extract.english_grammar import expand, find_verb
from osler.memory.tim.extract.english_words import DETERMINERS, MODIFIERS, third_person
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
    asked = [part for part in sentences(text, Language.EN) if part.endswith("?")] or sentences(text, Language.EN)
    if not asked:
        return _loose("")
    line = _LEAD.sub("", asked[0].strip()).rstrip("?!. ").strip()
    line = re.sub(r"\s*\([^)]*\)", "", line)
    line = _BEFORE.sub("", line)
    body = _OR.sub("", _RESULT.sub("", line)) if not line.lower().startswith(("what", "which", "how")) else line
    examined = _RESULT.search(line) is not None and body != line
    return _confirmed(body) or _attribute(body) or _polar(body, examined) or _loose(body)


def short(text: str) -> str:
    """A noun phrase without its article and without whose it is."""
    text = _OWNER.sub("", text.strip(" ,?."))
    text = re.sub(r"^(?:(?:any|a|an|the|some|this|that|these|more of)\s+)+", "", text, flags=re.IGNORECASE)
    return " ".join(text.split()[:_LONGEST]).strip(" ,")


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
    (r"(?:what|which) (?:is|was|are|were) (?P<t>.*?)(?: when\b.*| now)?", "is"),
    (r"(?:what|how) (?:brings|can i|seems|are you|do you feel|is wrong|happened)\b.*", "says"),
    (r"how (?:many|much) (?P<t>.*?)(?: do| did| have| are| is)(?: .*)?", "is"),
)
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
            return _value(re.sub(r"\bbeen\s+", "", named), relation)
    return None


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
