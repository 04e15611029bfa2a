"""The English words that carry the grammar of a patient's reply."""

from __future__ import annotations

import re

from osler.memory.tim.extract.clauses import listed

DENIES = re.compile(r"\b(?:no|not|never|none|nothing|nobody|neither|nor|without|cannot)\b|n't\b", re.IGNORECASE)
"""Any word that denies."""
AUXILIARIES = listed(
    "am is are was were has have had do does did can could will would should may might must cannot "
    "isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't can't couldn't won't wouldn't shouldn't"
)
COPULAS = listed("am is are was were be been isn't aren't wasn't weren't")
ADVERBS = listed(
    "not never always also only really still just now even often usually sometimes already ever hardly barely "
    "suddenly actually probably maybe perhaps almost all both been recently initially currently occasionally "
    "frequently gradually previously mostly mainly immediately quickly eventually generally constantly "
    "steadily progressively rarely seldom"
)
DEGREES = listed(
    "a quite very mostly mainly especially particularly slightly somewhat occasionally rarely lots every too"
)
"""Words that a bare answer begins with when it only says how much or how often."""
PRONOUNS = listed("i he she it they we you that this everything nothing nobody everyone who which there")
DETERMINERS = listed("a an the my his her our your their its this that these those some any no each every")
PREPOSITIONS = listed(
    "of in on at to for from with without within after before since about around during between under over into "
    "than by as until through like down up above below near behind against and or but because when while if"
)
STAFF = listed(
    "measured said say says told did put gave found saw tested took counted heard looked listened wrote pressed "
    "press "
    "checked examined called sent removed"
)
"""What `they` do when `they` are the people of the hospital."""

_WOMEN = listed("mother mum mom sister grandmother grandma aunt")
_MEN = listed("father dad brother grandfather grandpa uncle")
KIN = _WOMEN | _MEN | listed("cousin parents")
PEOPLE = KIN | listed(
    "wife husband partner girlfriend boyfriend friend friends son daughter child children baby parent family neighbour "
    "neighbor colleague roommate coworker teacher bystander caregiver"
)
"""Who may say or see something without being an examination."""


def meant_by(pronoun: str, kin: str) -> str:
    """The relative just named, if `he` or `she` can mean that one."""
    return "" if kin in {"he": _WOMEN, "she": _MEN}[pronoun] or kin == "parents" else kin


MODIFIERS = listed(
    "left right upper lower chest blood back eye abdominal heart eyes' big little front stomach bowel urine skin "
    "knee "
    "throat neck head ear belly joint muscle first last straight coronary"
)
"""Words that stand before the noun of a question's subject."""

# Base form and past form; the third person is made by rule.
_VERBS = """
start started|begin began|come came|go went|get got|take took|feel felt|hurt hurt|spread spread|move moved|wake woke
throw threw|vomit vomited|smoke smoked|drink drank|eat ate|sleep slept|say said|show showed|find found|see saw
measure measured|put put|give gave|help helped|make made|lose lost|gain gained|stop stopped|quit quit|fall fell
notice noticed|use used|live lived|work worked|die died|run ran|swell swelled|bleed bled|breathe breathed|want wanted
need needed|look looked|sound sounded|seem seemed|stay stayed|keep kept|last lasted|turn turned|become became
catch caught|drop dropped|rise rose|think thought|know knew|bring brought|read read|bend bent|hear heard|count counted
listen listened|tell told|do did|have had|cough coughed|itch itched|burn burned|ache ached|worsen worsened|ease eased
improve improved|happen happened|remember remembered|try tried|faint fainted|collapse collapsed|react reacted
travel travelled|weigh weighed|let let|leave left|hit hit|break broke|cut cut|draw drew|pull pulled|sweat sweated
shake shook|change changed|grow grew|return returned|radiate radiated|shoot shot|hide hid
suffer suffered|call called|test tested|check checked|finish finished|reach reached|frighten frightened|scare scared
worry worried|calm calmed|sit sat|lie lay|stand stood|walk walked|press pressed|touch touched|pass passed
undergo underwent|develop developed|experience experienced|report reported|feed fed|include included|mention mentioned
disappear disappeared|swallow swallowed|suggest suggested|contain contained|appear appeared|remain remained
"""
PASTS: dict[str, str] = {}
BASES: set[str] = set()
for _pair in re.split(r"[|\n]", _VERBS.strip()):
    _base, _past = _pair.split()
    BASES.add(_base)
    PASTS[_past] = _base
# These are nouns or adjectives as often as verbs, and count as verbs after a pronoun alone.
NOUNS_TOO = listed(
    "cough faint shake cut burn ache drink smoke work need help look change test check last sleep run show "
    "left drop feel use hurt lay read lie pass press return pull travel walk touch sweat"
)


def third_person(verb: str) -> str:
    """`take` as in `he takes`."""
    if verb in {"have", "do", "go"}:
        return {"have": "has", "do": "does", "go": "goes"}[verb]
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "z")) else "s")


THIRDS = {third_person(verb): verb for verb in BASES}

_UNIT = r"(?:minute|min|hour|day|night|week|fortnight|month|year|decade)s?"
_SOME = (
    r"(?:\d+(?:\.\d+)?(?:\s*(?:to|or|-|–)\s*\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
    r"twenty|thirty|a few|a couple of|several|some|many|half an?|the last|the past)"
)
SPAN = (
    rf"(?:(?:about|around|almost|nearly|over|roughly|more than|at least)\s+)?{_SOME}(?:\s+(?:or|"
    rf"to)\s+{_SOME})?\s+{_UNIT}"
)
"""A length of time: `about three weeks`."""
_DAY = (
    r"(?:yesterday|today|tonight|just now|this (?:morning|afternoon|evening|week|month|year)|"
    r"last (?:night|week|month|year|spring|summer|autumn|fall|winter|\w+day)|the (?:day|evening|"
    r"night) before (?:last|yesterday)|"
    r"(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day(?: (?:morning|night|evening))?)"
)
TIME = re.compile(
    rf"\b(?:{SPAN} (?:ago|before|earlier)|since (?:{_DAY}|then|childhood|\w+ \w+ (?:began|started)|"
    rf"[^,.;]{{3,40}}?(?=[,.;]|$))"
    rf"|(?:in|within|over|during) the (?:past|last) (?:\d+ |\w+ )?{_UNIT}|in (?:19|20)\d\d|{_DAY})",
    re.IGNORECASE,
)
"""When something happened."""
DURATION = re.compile(rf"^(?:for )?(?:only )?{SPAN}(?: now| already| or so| of it now)?$", re.IGNORECASE)
PAPER = (
    r"(?:it|(?:the|my|his|her|this) (?:[\w-]+ )?(?:sheet|slip|paper|report|printout|letter|results?|screen|monitor))"
)
"""What a result is read out from."""
