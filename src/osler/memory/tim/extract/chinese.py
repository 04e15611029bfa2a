"""Chinese replies into thoughts: each sentence by its clauses, each clause by the first pattern that fits."""

from __future__ import annotations

import re

from osler.language import Language
from osler.language.words import content
from osler.memory.tim.extract.answers import settled, several
from osler.memory.tim.extract.chinese_answer import answered, is_lone
from osler.memory.tim.extract.chinese_breath import one_by_one
from osler.memory.tim.extract.chinese_frame import unframed_report, unframed_talk
from osler.memory.tim.extract.chinese_question import PATIENT, read_question
from osler.memory.tim.extract.chinese_report import headed, read_report, together
from osler.memory.tim.extract.chinese_results import of_specimen, verdict_of
from osler.memory.tim.extract.chinese_sentence import ASKS, END, MARK, cut, entries, pieces, titled
from osler.memory.tim.extract.chinese_statement import state
from osler.memory.tim.extract.chinese_value import judge
from osler.memory.tim.extract.chinese_words import SELF, SPAN
from osler.memory.tim.extract.clauses import Question, Reading, Sketch, Titled
from osler.memory.tim.thought import Draft

_FRAME = re.compile(
    r"^(?P<who>[^没不听，]{0,14}?)(?P<verb>告诉我|说是|说(?!话|过|不|实|来)|写的是|写的|写着|写(?!字)|显示|提示|查出|上有(?:一项|个))(?P<rest>.+)$"
)
_PAPERS = re.compile(r"(?:单子上?|上面|报告上?|那张单子|那项|结果)$")
_PEOPLE = re.compile(
    r"^(?:大夫|医生|护士|他|她|我|人家|他们)?(?:跟我|给我)?$|^(?:大夫|医生|护士)[^，]{0,3}?[听摸看查按敲][了过]?$"
)
_FINE = re.compile(r"还好|挺好|很好|正常|没事|还行|可以|没问题|清楚|一样|灵活|能")
"""What goes with a no and takes nothing of it back."""
_UNNAMED = frozenset({"病", "毛病", "疾病", "手术", "不适"})
_SUFFERS = re.compile(r"^((?:[我他她]|一直|老是?|总是?|还|也|有点)*)犯(?=恶心|困|晕)")
_TURN = re.compile(r"^(?:不过|可是|但是|但)")
_OF_THOSE = re.compile(
    rf"{_TURN.pattern}?(?:那[几两][次回]|那[次回]|每[次回](?!小便|大便|吃|来|月)|当时|那会儿|那时候?|从那以后|都是)|(?:也|还|都)?没[戒停断好退消]过?了?[。！]?$"
)
_LASTING = re.compile(rf"{SPAN}多?了|天天|持续")
"""What goes on until now was not the matter of one day."""
_MADE = re.compile(r"^(?:拍了|做了|做过|查了)")
_OWN = re.compile(
    r"^[\u4e00-\u9fff]{2,3}(?:也|都)?查了，|^(?:[我他她]的?)?心跳是?(?=\d|一分钟)|^[^，]{0,4}?(?:超|CT|片子?|镜|图|磁)上?(?:说是?|写着?|显示)(?:[我他她]的?)?|^[我他她]的?(?=.)"
)
_NOTHING = re.compile(r"^(?:未见(?:明显)?|未闻及|未触及|未发现|没有|没见|无|未)(?P<what>.+)$")


def think_chinese(question: str, reply: str) -> list[Draft]:
    """The facts of a Chinese reply."""
    asked = read_question(question)
    reading = Reading(asked, MARK)
    for entry in entries(cut(one_by_one(reply))):
        test = ""
        for sentence in together(entry.sentences, asked):
            reading.began, reading.question = len(reading.sketches), asked
            title = titled(sentence)
            if not title and _hangs_on(sentence, reading):
                reading.sketches[-1].add(_TURN.sub("", END.sub("", sentence)), MARK, heard=sentence)
            elif title:
                reading.open(_under(title, sentence, asked))
            elif not read_report(sentence, reading, test):
                first, *rest = pieces(sentence) or [sentence]
                if rest and is_lone(first, asked):
                    reading.aside(first)
                else:
                    _read(first, reading)
                for piece in rest:
                    _read(piece, reading)
            if entry.when and asked.examined:  # what is dated together was found together
                test = title.name if title else test or headed(sentence)[0]
        if entry.when:
            reading.date(entry.when, entry.dated, None if asked.examined else _LASTING)
    _flush(reading)
    return [sketch.draft() for sketch in _narrowed(settled(reading.sketches, MARK, Language.ZH), asked)]


def _hangs_on(sentence: str, reading: Reading) -> bool:
    """Whether a sentence is about what the one before it told: `那几回歇一会儿就好了`."""
    last = reading.sketches[-1] if reading.sketches else None
    if not last or last.answer or last.negated or last.result or not last.certainty or reading.question.examined:
        return False
    return _OF_THOSE.match(sentence) is not None and not ASKS.search(sentence)


def _narrowed(sketches: list[Sketch], asked: Question) -> list[Sketch]:
    """A bare no to a list, or to `什么病`, denies no more than what is said after it: `没有，没发烧。一走路就喘。`."""
    if not any(sketch.answer and sketch.negated for sketch in sketches):
        return sketches
    kept: list[Sketch] = []
    for place, sketch in enumerate(sketches):
        after = [other for other in sketches[place + 1 :] if other.certainty]
        bare = sketch.answer and sketch.negated and after
        taken_back = several(sketch.object, Language.ZH) and not all(
            other.negated or _is_fine(other) for other in after
        )
        if bare and (asked.compound or taken_back or (sketch.object in _UNNAMED and after[0].negated)):
            after[0].sentence = f"{sketch.sentence}{MARK}{after[0].sentence}"
        else:
            kept.append(sketch)
    return kept


def _is_fine(sketch: Sketch) -> bool:
    """Whether it only says that all is well."""
    return all(_FINE.search(clause) for clause in f"{sketch.relation}{sketch.object}".split(MARK))


def _under(title: Titled, sentence: str, question: Question) -> Sketch:
    """One thought with all that is said under a title: a value, a denial, or what was found."""
    # A title's statement has lost its mark, by which a question that closes it is known.
    asks = sentence.rstrip().endswith(("？", "?"))
    said = unframed_report(f"{title.said}？" if asks else title.said)
    said = _OWN.sub("", said).rstrip("？?")
    name = of_specimen(title.name, question.topic)
    if re.match(r"(?:[<>≤≥约])?\s*\d", said) or verdict_of(said):
        return Sketch(name, "为", said, sentence, result=True)
    none = _NOTHING.match(said)
    if none and not re.search(r"[，；,;]", said):
        return Sketch(name, "没有", none["what"], sentence, negated=True)
    return Sketch(name, "显示", said, sentence)


def _flush(reading: Reading) -> None:
    """Words still waiting are kept with the last thought, or as what the patient says."""
    if reading.waiting and reading.sketches:
        reading.sketches[-1].hear(reading.waiting, MARK)
    elif reading.waiting and content(reading.waiting, Language.ZH):
        reading.sketches.append(Sketch(PATIENT, "说", reading.waiting, reading.waiting))


def _read(piece: str, reading: Reading) -> None:
    """One clause, by the first pattern that fits."""
    bare = END.sub("", piece)
    if answered(piece, bare, reading):
        return
    if ASKS.search(piece):
        reading.aside(piece)  # what the patient asks is no finding
        return
    if verdict_of(bare) and judge(bare, piece, reading):
        return
    bare = _SUFFERS.sub(r"\1", unframed_talk(bare))
    framed = _FRAME.match(bare)
    if framed:
        state(framed["rest"], piece, reading, shown=_framed(framed["who"], reading))
    else:
        state(bare, piece, reading, shown=False)


def _framed(said_by: str, reading: Reading) -> bool:
    """Whether it is an examination that says it (`CT显示……`): what follows is about that, and not about a person."""
    who = "" if _PEOPLE.match(said_by) else SELF.sub("", said_by)
    if who:
        reading.about(_MADE.sub("", _PAPERS.sub("", who)) or reading.question.topic)
    return bool(who)
