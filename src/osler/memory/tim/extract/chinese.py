"""Chinese replies into thoughts."""

from __future__ import annotations

import re

from osler.memory.tim.extract.answers import others, picks, settled
from osler.memory.tim.extract.chinese_question import COMPLAINT, PATIENT, fits, read_question
from osler.memory.tim.extract.chinese_results import Result, measure_of, of_specimen, read_results, verdict_of
from osler.memory.tim.extract.chinese_sentence import DATED, END, MARK, NEGATION, NO, YES, cut, pieces, titled
from osler.memory.tim.extract.chinese_words import ADVERBS, KIN, LASTING, PREDICATES, SELF, SPAN, TIME, borders
from osler.memory.tim.extract.clauses import UNKNOWN, UNSURE, Question, Reading, Sketch, Titled, whole
from osler.memory.tim.thought import Draft
from osler.records.language import Language
from osler.words import content

_UNKNOWN = re.compile(
    r"不知道(?!自己|在哪|人|谁|饿|疼|痛)|不清楚|不太清楚|说不上来|说不上|不记得|记不得|记不清|想不起来(?!家里)|不晓得|没注意|不确定|说不准|不好说|说不好|答不上|不大清楚|不了解|"
    r"没留意|没法告诉"
)
_ASIDE = re.compile(
    r"^(?:哎呀|唉|哎|大夫|医生|您看|我想想啊?|我找找|单子(?:在我(?:这儿|手里))?呢?|片子在我这儿|叫什么来着|等一下|我记着呢|哦在这儿|差点忘了说|对了|要紧吗|"
    r"是不是很(?:重要|严重)|从来没人问过我|这个嘛|我也想知道|不好意思|真受不了|吓死我了|还好|(?:幸亏|幸好|多亏)[您你]问|[您你]?问得好|好问题|[您你]这一问我想起来了|说实话|这个我记得|这样涨?正常吗|嗯|哦|说错了|呃|要打分的话|打分的话|抱歉|"
    r"(?:据|就)我(?:所|们)?知道?|我?实在抱歉|谢谢(?:大夫|医生)?)$"
)
_HEDGE = re.compile(
    r"可能|好像|也许|估计|说不定|似乎|印象里|应该是|不太确定|大概(?!有?\s*(?:\d|[一二两三四五六七八九十几]))"
)
_FRAME = re.compile(
    r"^(?P<who>[^没不听，]{0,14}?)(?P<verb>告诉我|说是|说(?!话|过|不|实)|写的是|写的|写着|写(?!字)|显示|提示|查出|上有(?:一项|个))(?P<rest>.+)$"
)
_PAPERS = re.compile(r"(?:单子上?|上面|报告上?|那张单子|那项|结果)$")
_PEOPLE = re.compile(r"^(?:大夫|医生|护士|他|她|我|人家|他们|大夫听了|医生听了)?(?:跟我|给我)?$")
_ALLERGY = re.compile(r"对(?P<what>.{1,20}?)过敏")
_DENIES = re.compile(r"没|不|无|未")
_NOTHING = re.compile(r"^(?:未见(?:明显)?|未闻及|未触及|未发现|没有|没见|无|未)(?P<what>.+)$")
_COURSE = re.compile(
    r"^(?P<who>[^，]{0,8}?)(?P<how>(?:一直|越来越|慢慢|逐渐|渐渐|反复|持续|也|都|在|有所|明显|没有|没|不|还)*"
    r"(?:加重|减轻|好转|恶化|缓解|变重|变大|变小|变多|变少|重了|轻了|严重))(?:了|的|着)*$"
)
_BEGAN = re.compile(
    rf"^(?P<what>[^从，]{{0,8}}?)(?:是|就)*(?P<when>从?(?:{TIME.pattern}))(?:就)?(?:开始|出现)(?:的|了)?(?P<doing>[^，]{{0,6}}?)(?:的|了)*$"
)
_ALSO = re.compile(r"(?<=^[我他她咱])(?:还|也|都)+(?=有(?!时|的))")
_POINTERS = frozenset({"", "它", "这", "这个", "那个", "这些", "情况", "病情"})
_DONE = re.compile(r"^(?:做|查|拍|测|验|化验|检查|照|量)(?:过|呢|啊)*$")
_LIMIT = re.compile(r"^(?:上限|下限|正常值|正常(?:说?是|要|不超过|应该)|参考)")
_SCORE = re.compile(r"^(?:要是|按|满分)?10分(?:里|的话|满分)?(?:得|能|大概|差不多)*有?(?P<score>\d+)分(?P<rest>.*)$")
_WHILE = re.compile(
    rf"^(?:(?:多数|每天)?(?:夜里|晚上|一晚上|每天|天天|一天|白天|下午|早上|最高)(?:都|也就|也|就|得)?|\d+岁(?:那年|时|的时候)?|[^，]{{1,14}}?(?:的时候|之前|以后|之后)|(?:才|不到)?{SPAN}(?:就|后|以后|之后|之内|内|里))(?=.)"
)
_DOING = re.compile(r"[看走坐躺搬按见喝翻跑\d]|吃|一.{1,6}就")
_OF_PEOPLE = frozenset("吃喝用服做打抽住摔睡得查磕昏怀发烧咳")
_PARTICLES = re.compile(r"[呢啊吧嘛呀的]+$")
_SINCE = re.compile(rf"^(?P<what>[\u4e00-\u9fff]{{2,8}}?)(?:都|已经|大概|有)*(?P<span>{SPAN})(?:多)?了$")
_MANNER = re.compile(r"(?:(.)\1|一(.)一\2)地$")
_VAGUE = frozenset({"药", "药物", "东西", "食物", "什么", "什么药", "药物过敏", "过敏", "抗生素"})
_PERHAPS = re.compile(r"^(?:可能|好像|也许|大概|应该)(?:有|是|会|吧)?(?:吧|的)?$")
_DOSE = re.compile(
    r"^(?!.{0,9}[吃用服打喂买开停])[\u4e00-\u9fffA-Za-z]{2,10}?\s*\d[\d.]*\s*(?:毫克|mg(?!/)|微克|片|单位|粒)"
)
_TAKES = frozenset({"吃", "服用", "服", "用", "喝"})
_NAME = 6
"""Characters that a name may have; `排便以后肚子痛会减轻` is a question."""


def think_chinese(question: str, reply: str) -> list[Draft]:
    """The facts of a Chinese reply."""
    reading = Reading(read_question(question), MARK)
    for sentence in cut(reply):
        reading.began = len(reading.sketches)
        title = titled(sentence)
        if title:
            reading.open(_under(title, sentence, reading.question))
            continue
        dated = DATED.match(END.sub("", sentence))
        if dated and reading.sketches:
            reading.date(dated["when"], sentence)
            continue
        for piece in pieces(sentence):
            _read(piece, reading)
    if reading.waiting and reading.sketches:
        reading.sketches[-1].hear(reading.waiting, MARK)
    elif reading.waiting and content(reading.waiting, Language.ZH):
        reading.sketches.append(Sketch(PATIENT, "说", reading.waiting, reading.waiting))
    return [sketch.draft() for sketch in settled(reading.sketches, MARK, Language.ZH)]


def _under(title: Titled, sentence: str, question: Question) -> Sketch:
    """One thought with all that is said under a title: a value, a denial, or what was found."""
    name, said = of_specimen(title.name, question.topic), title.said
    if re.match(r"(?:[<>≤≥约])?\s*\d", said) or verdict_of(said):
        return Sketch(name, "为", said, sentence, result=True)
    none = _NOTHING.match(said)
    if none and not re.search(r"[，；,;]", said):
        return Sketch(name, "没有", none["what"], sentence, negated=True)
    return Sketch(name, "显示", said, sentence)


def _read(piece: str, reading: Reading) -> None:
    """One clause, by the first pattern that fits."""
    bare, question = END.sub("", piece), reading.question
    if not bare or _ASIDE.match(bare):
        if bare:
            reading.aside(piece)
        return
    if _UNKNOWN.search(bare) and len(bare) <= 16:
        _unknown(piece, reading)
        return
    if _agrees(bare, question) or NO.match(bare) or _PERHAPS.match(bare):
        negated = bool(NO.match(bare))
        relation = question.no if negated else question.yes
        sentence = f"{question.topic}：{piece}"
        sketch = Sketch(question.subject, relation, question.object, sentence, negated=negated, answer=True)
        sketch.certainty = UNSURE if _PERHAPS.match(bare) else 1.0
        reading.open(sketch)
        return
    if verdict_of(bare) and _verdict(bare, piece, reading):
        return
    framed = _FRAME.match(bare)
    shown = False
    if framed:
        who = SELF.sub("", framed["who"]) if not _PEOPLE.match(framed["who"]) else ""
        shown = bool(who)
        if who:
            named = re.sub(r"^(?:拍了|做了|做过|查了)", "", _PAPERS.sub("", who))
            reading.about(named or question.topic)
        bare = framed["rest"]
    _state(bare, piece, reading, shown)


def _agrees(bare: str, question: Question) -> bool:
    """Whether it is a yes; a verb alone is one when the question asked with it (`怕不怕光？` `怕。`)."""
    return bool(YES.match(bare)) or _PARTICLES.sub("", bare).rstrip("了") in {question.yes, question.yes[:1]}


def _unknown(piece: str, reading: Reading) -> None:
    matter = reading.question.matter
    already = [sketch for sketch in reading.sketches if sketch.relation == "不知道"]
    if already:
        already[-1].hear(piece, MARK)
        return
    reading.open(Sketch(PATIENT, "不知道", matter, f"{matter}：{piece}", certainty=UNKNOWN))


def _verdict(bare: str, piece: str, reading: Reading) -> bool:
    """`偏高`, after a result: part of it, or of all results of the sentence when it says `都`."""
    results = [sketch for sketch in reading.sketches[reading.began :] if sketch.result]
    if not results and reading.last and not reading.last.answer and not reading.last.negated:
        reading.last.add(END.sub("", piece), MARK)
        return True
    if not results:
        return False
    for sketch in [sketch for sketch in results if not sketch.judged] if "都" in bare else results[-1:]:
        sketch.judged = True
        sketch.object = f"{sketch.object} {verdict_of(bare)}"
        sketch.hear(piece, MARK)
    return True


def _state(core: str, piece: str, reading: Reading, shown: bool) -> None:
    """A statement: results, a denial, a clause with a predicate, or a bare value."""
    core = _ALSO.sub("", core)
    when, hedged = TIME.search(core), UNSURE if _HEDGE.search(piece) else 1.0
    examined = shown or reading.question.examined
    told = (reading.question.topic, "显示") if examined else (PATIENT, "说")
    made = whole(_statements(core, piece, reading, shown), core, *told, Language.ZH)
    for sketch in made:
        sketch.certainty = min(sketch.certainty, hedged)
        sketch.reported = when[0] if when else ""
    if made:
        _repeated(made, reading)
    for sketch in made:
        reading.open(sketch)


def _statements(core: str, piece: str, reading: Reading, shown: bool) -> list[Sketch]:
    question, last = reading.question, reading.last
    stripped = SELF.sub("", ADVERBS.sub("", core)) or core
    if _DOSE.match(stripped) and not question.examined and not PREDICATES.match(stripped):
        return [Sketch(PATIENT, "服用", stripped, piece)]
    medicine = question.value == "服用"
    results = [] if medicine else read_results(stripped)
    score = _SCORE.match(stripped)
    if score:
        degree = f"{score['score']}分（满分10分）{_PARTICLES.sub('', score['rest'])}"
        return [Sketch(_thing(question), "程度为", degree, f"{question.topic}：{piece}")]
    if last and last.result and _LIMIT.match(stripped):
        last.add(END.sub("", piece), MARK)
        return []
    if len(results) == 1 and not results[0].name and last and not last.answer:
        last.add(END.sub("", piece), MARK)
        return []
    if results:
        return [_result(result, piece, question) for result in results]
    lasting = _SINCE.match(stripped)
    if lasting and not results:
        return [Sketch(lasting["what"], "持续", lasting["span"], piece)]
    if LASTING.match(stripped):
        return [_lasting(stripped, piece, reading)]
    course = _course(SELF.sub("", core), piece, reading) or _began(stripped, piece, reading)
    if course:
        return [course]
    sketch = _allergy(core, piece) or _denial(core, piece, reading) or _clause(core, piece, reading)
    if sketch:
        return [sketch]
    if (
        last
        and not last.answer
        and not last.negated
        and last.relation != "不知道"
        and not (last.result and question.examined)
    ):
        last.add(END.sub("", piece), MARK)
        return []
    return [_bare(stripped, piece, reading, shown)]


def _result(result: Result, piece: str, question: Question) -> Sketch:
    if result.name:
        return Sketch(of_specimen(result.name, question.topic), "为", result.value, piece, result=True)
    measure = measure_of(result.value, question.topic)
    if measure:
        return Sketch(measure, "为", result.value, f"{question.topic}：{piece}", result=True)
    if not question.presumed and question.value == "为":
        return Sketch(PATIENT, "说", result.value, f"{question.topic}：{piece}", result=True)
    relation = question.value if question.value.endswith("为") else "为"
    return Sketch(question.holder, relation, result.value, f"{question.topic}：{piece}", result=True)


def _thing(question: Question) -> str:
    """What a length of time or a score belongs to: the thing asked about, where the question names one."""
    return question.topic if len(question.topic) <= _NAME else COMPLAINT


def _lasting(core: str, piece: str, reading: Reading) -> Sketch:
    question = reading.question
    thing = _thing(question) if question.holder == PATIENT or len(question.holder) > _NAME else question.holder
    if reading.last and not reading.last.answer and not reading.last.result:
        last = reading.last
        whole = (
            last.subject
            if last.relation in {"为", "显示", "是", "说", "位于", "持续"}
            else last.subject + last.relation
        )
        thing = last.object if last.subject == PATIENT and last.relation in {"有", "服用"} else whole
        thing = thing.removeprefix(PATIENT) or _thing(question)
    span = re.sub(r"^(?:都|已经|有|持续)+|了$", "", core)
    return Sketch(thing, "持续", span, f"{thing}：{piece}")


def _course(core: str, piece: str, reading: Reading) -> Sketch | None:
    """`一直在加重`: of the thing named before it, or of what was asked about."""
    found = _COURSE.match(core)
    if not found or found["who"].endswith(("觉得", "感觉")):
        return None
    who = _who(found["who"]) if found["who"] else ""
    if who in _POINTERS or who == PATIENT:
        who = _meant(reading)
    return Sketch(who, found["how"], "", piece, negated=bool(_DENIES.search(found["how"])))


def _meant(reading: Reading) -> str:
    """The last thing named in the reply, or what the question is about."""
    last = reading.sketches[-1] if reading.sketches else None
    if last and not last.answer and last.relation in {"开始于", "持续", "位于"}:
        return last.subject
    if last and not last.answer and last.subject == PATIENT and last.relation in {"有", "有点"}:
        return re.split(r"[，（]", last.object)[0]
    return reading.question.thing or COMPLAINT


def _began(core: str, piece: str, reading: Reading) -> Sketch | None:
    """`疼痛从昨天开始`, `昨天开始疼的`."""
    found = _BEGAN.match(core)
    if not found:
        return None
    what = SELF.sub("", found["what"]) if found["what"] else ""
    thing = found["doing"] or ("" if what in _POINTERS else what)
    if not thing:
        return None
    when = re.sub(r"^从|(?:起|开始|就)$", "", found["when"])
    return Sketch(thing, "开始于", when, piece)


def _allergy(core: str, piece: str) -> Sketch | None:
    found = _ALLERGY.search(core)
    if not found:
        return None
    negated = bool(re.search(r"没|不", core))
    what = re.sub(r"^(?:什么|啥|任何|哪种)", "", found["what"])
    kin = KIN.match(core)
    return Sketch(kin[1] if kin else PATIENT, "不过敏" if negated else "过敏", what, piece, negated=negated)


def _who(text: str) -> str:
    """The person or thing named before the predicate; empty when none is."""
    text = ADVERBS.sub("", text)
    kin = KIN.match(text)
    if kin:
        return kin[1] + text[kin.end() :]
    rest = SELF.sub("", text)
    rest = re.sub(r"^(?:自己|突然|慢慢)", "", ADVERBS.sub("", rest))
    if not rest:
        return PATIENT if SELF.match(text) else ""
    rest = _MANNER.sub("", rest)
    return re.sub(
        r"(?:也|都|就|还|倒是|倒|一直|从来|又|整个|几乎|只|才|的|更|特别|很|挺|最|突然|慢慢|有点)+$", "", rest
    )


def _split_time(text: str) -> tuple[str, str]:
    """A time at the beginning, and the rest."""
    text = ADVERBS.sub("", text)
    own = KIN.match(text) or SELF.match(text)
    head, body = (text[: own.end()], text[own.end() :]) if own else ("", text)
    when = TIME.match(body) or _WHILE.match(body)
    if when and when.end() < len(body):
        return when[0], head + body[when.end() :]
    return "", text


def _denial(core: str, piece: str, reading: Reading) -> Sketch | None:
    """`没有发烧`, `左眼不红`."""
    when, text = _split_time(core)
    found = NEGATION.search(text)
    if not found or found.end() == len(text):
        return None
    before, what = text[: found.start()], text[found.end() :]
    if before[-1:] == what[:1]:
        return None  # `怀没怀孕` asks
    subject = _who(before)
    if len(subject) > 8 or (subject and re.search(r"[了着过得]$", subject)):
        return None
    if _DONE.match(what) and (not subject or subject in _POINTERS):
        return Sketch(reading.question.topic, f"没{_PARTICLES.sub('', what)}", "", piece, negated=True)
    relation = found[0] if "不" in found[0] else "没有"
    every = re.match(r"(?:啥|什么|任何)(?P<what>.*)", subject)
    if every:
        subject, what = PATIENT, what + every["what"]
    if not subject:
        examined = reading.question.examined and relation == "没有"
        subject = reading.question.topic if examined else _carried(reading, what)
    what = re.sub(r"^(?:什么|任何|啥|发现|看到|看见|见着?|闻及|触及)(?=.)", "", what)
    if relation.endswith(("不", "不怎么", "不太")) and what[:1] in _TAKES:
        relation, what = relation + what[:1], what[1:]
    return Sketch(subject, relation, _dated(_PARTICLES.sub("", what) or what, when), piece, negated=True)


def _carried(reading: Reading, doing: str) -> str:
    """Whom a clause without a subject is about: the one before it in the sentence, the question, or the patient."""
    last = reading.last
    if doing[:1] in _OF_PEOPLE:
        return PATIENT
    if last and not last.answer and not last.result and last.relation[:1] not in _OF_PEOPLE:
        return last.subject
    return reading.question.subject


def _dated(what: str, when: str) -> str:
    return f"{what}（{when}）" if when else what


def _clause(core: str, piece: str, reading: Reading) -> Sketch | None:
    """A clause with a predicate: who or what, the predicate, the rest."""
    when, text = _split_time(core)
    if re.match(r"一.{1,8}就", text):
        return None
    starts = borders(text)
    own = KIN.match(text) or SELF.match(text)
    from_ = own.end() if own else 0
    for found in PREDICATES.finditer(text, from_):
        if not {found.start(), found.end()} <= starts or found.start() > 12:
            continue
        subject = _who(text[: found.start()])
        if len(subject) > 9 or _DOING.search(subject):
            return None
        relation, what = found[0], text[found.end() :]
        tail = re.match(r"[了过着]", what)
        if tail and relation[-1] not in "了过着":
            relation, what = relation + tail[0], what[1:]
        what = _PARTICLES.sub("", what)
        if relation.startswith("停") and not what and reading.last and reading.last.relation in _TAKES:
            what = re.sub(r"（.*?）", "", reading.last.object)
        if relation.rstrip("了过着") in _TAKES | {"在吃", "在用"} and reading.question.value == "服用":
            relation = "服用"
        return Sketch(subject or _carried(reading, relation), relation, _dated(what, when), piece)
    return None


def _repeated(made: list[Sketch], reading: Reading) -> None:
    """Drop a bare yes or no when the clause after it says the same in full: `没有，他没有哮喘`."""
    answer, question = reading.last, reading.question
    if not answer or not answer.answer:
        return
    asked = set(content(f"{question.subject} {question.object}", Language.ZH)) - {PATIENT}
    said = {word for sketch in made for word in content(sketch.sentence, Language.ZH)}
    same = made[0].negated == answer.negated
    vague = not answer.negated and question.object in _VAGUE
    # A no denies all that was asked, so that only a clause that names all of it can stand for it.
    enough = len(asked) if answer.negated else len(asked) / 2
    part = answer.negated and said < asked and not others(question.object, Language.ZH)
    if same and part and not made[0].reported:
        answer.hear(MARK.join(sketch.sentence for sketch in made), MARK)
        made.clear()
        return
    chosen = picks(made[0], answer, reading, Language.ZH)
    if vague or chosen or (same and asked and len(asked & said) >= enough):
        reading.sketches.pop()
    elif not answer.negated:
        return
    made[0].sentence = f"{answer.sentence.removeprefix(question.topic + '：')}{MARK}{made[0].sentence}"


def _bare(core: str, piece: str, reading: Reading, shown: bool) -> Sketch:
    """A value or a name alone: the question says what of, unless the answer to it was no."""
    question = reading.question
    sentence = f"{question.topic}：{piece}"
    negated = bool(NEGATION.search(core))
    if reading.denied and question.holder != COMPLAINT and not shown and not question.examined:
        return Sketch(PATIENT, "说", core, piece, negated=negated)
    if question.value == "说" or (question.value == "为" and not question.presumed and not TIME.fullmatch(core)):
        return Sketch(PATIENT, "说", core, sentence, negated=negated)
    if shown or question.examined:
        return Sketch(question.topic, "显示", core, sentence, negated=negated)
    if not fits(question.value, core):
        return Sketch(PATIENT, "说", core, sentence, negated=negated)
    when = TIME.match(core)
    if when and when.end() >= len(core) - 1 and question.value not in {"服用", "为"}:
        return Sketch(question.topic if question.topic != PATIENT else COMPLAINT, "开始于", core, sentence)
    names = question.value not in {"过敏", "服用"} or (len(core) <= 14 and not re.search(r"[了得吓]", core))
    if not names:
        return Sketch(question.topic, "说", core, sentence, negated=negated)
    return Sketch(question.holder, question.value or "说", core, sentence, negated=negated)
