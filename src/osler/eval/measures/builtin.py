"""Osler's own measures, in the order of tables."""

from __future__ import annotations

from collections.abc import Iterator

from osler.eval.measures import talk
from osler.eval.measures.definition import EVERYWHERE, Higher, Label, Measure, Place, Unit, ValueOf
from osler.eval.measures.of_pairs import sensitivity
from osler.eval.verdict import Verdict
from osler.runs.events import Role
from osler.runs.makers import SEATS, Usage, seat_name
from osler.runs.reply_faults import READ_FAULTS
from osler.runs.scored import DIAGNOSIS, TREATMENT, ScoredConsultation

_TABLES = frozenset({Place.COMPARE, Place.REPORT, Place.SCORES})
_AFTER_RUN = _TABLES | {Place.SIMULATE}
_IN_TABLES = _TABLES | {Place.PAGE}
_ONE_ALONE = frozenset({Place.PAGE, Place.SCORES})
"""Shown of one consultation, and in no table of columns."""
_OWN_QUESTIONS = "What the doctor asked itself counts, not the questions of its strategy."
_JUDGED = {
    DIAGNOSIS: "Consultations with an answer whose diagnosis the judge has judged.",
    TREATMENT: (
        "Consultations with an answer whose treatment the judge has judged; records without a"
        " treatment have none."
    ),
}
_ANSWERED = "Consultations that ended with an answer."
_ZH = {
    DIAGNOSIS: "诊断",
    TREATMENT: "治疗",
    Role.DOCTOR: "医生",
    Role.PATIENT: "患者",
    Role.RAM: "检索",
    Role.MEMORY: "记忆",
    Role.EXPERIENCE: "经验",
}


def _is(kind: str, *verdicts: Verdict) -> ValueOf:
    """Whether the verdict is one of these; None without a verdict."""

    def value(consultation: ScoredConsultation) -> float | None:
        verdict = consultation.verdict(kind)
        return None if verdict is None else float(verdict in verdicts)

    return value


# The names and labels below are put together from the kind of answer. Spelled out, for a search:
#
#   diagnosis_right            diagnosis right            诊断正确
#   diagnosis_right_at_most    diagnosis right at most    诊断正确的上限
#   diagnosis_undecided        diagnosis undecided        诊断未定
#   diagnosis_partial          diagnosis partly right     诊断部分正确
#   treatment_right            treatment right            治疗正确
#   treatment_right_at_most    treatment right at most    治疗正确的上限
#   treatment_undecided        treatment undecided        治疗未定
#   treatment_partial          treatment partly right     治疗部分正确
def _verdict_shares(kind: str) -> Iterator[Measure]:
    """The share that is right, its upper bound, and how many verdicts are undecided."""
    zh = _ZH[kind]
    yield Measure(
        f"{kind}_right",
        Label(f"{kind} right", f"{zh}正确"),
        Unit.SHARE,
        f"1 if the judge calls the {kind} correct, 0 for any other verdict.",
        _JUDGED[kind],
        Higher.BETTER,
        _is(kind, Verdict.CORRECT),
        places=_AFTER_RUN,
        is_tested=True,
    )
    yield Measure(
        f"{kind}_right_at_most",
        Label(f"{kind} right at most", f"{zh}正确的上限"),
        Unit.SHARE,
        f"1 if the judge calls the {kind} correct or leaves it undecided, 0 for any other verdict.",
        _JUDGED[kind],
        Higher.BETTER,
        _is(kind, Verdict.CORRECT, Verdict.UNDECIDED),
        places=_AFTER_RUN,
        upper_bound_of=f"{kind}_right",
    )
    yield Measure(
        f"{kind}_undecided",
        Label(f"{kind} undecided", f"{zh}未定"),
        Unit.COUNT,
        f"1 if the judge left the {kind} undecided.",
        _JUDGED[kind],
        Higher.WORSE,
        _is(kind, Verdict.UNDECIDED),
        places=_AFTER_RUN,
        totals_in=EVERYWHERE,
        hides_zero=True,
    )
    yield Measure(
        f"{kind}_partial",
        Label(f"{kind} partly right", f"{zh}部分正确"),
        Unit.SHARE,
        f"1 if the judge calls the {kind} partly right, 0 for any other verdict.",
        _JUDGED[kind],
        value=_is(kind, Verdict.PARTIAL),
        places=_TABLES,
    )


def _is_among_five(consultation: ScoredConsultation) -> float | None:
    rank = consultation.diagnosis_rank
    return None if rank is None else float(1 <= rank <= 5)


def _of_asking() -> Iterator[Measure]:
    """How the doctor asked."""
    yield Measure(
        "coverage",
        Label("key elements asked", "诊断关键信息问到的比例"),
        Unit.SHARE,
        "Of the record's key entries for the diagnosis (all that are not incidental), the share"
        f" that was asked for. {_OWN_QUESTIONS}",
        "Consultations whose record has such entries.",
        Higher.BETTER,
        places=_IN_TABLES,
        is_of_asking=True,
    )
    yield Measure(
        "coverage_treatment",
        Label("key elements asked for the treatment", "治疗关键信息问到的比例"),
        Unit.SHARE,
        "The same for the key entries of the treatment plan.",
        "Consultations whose record has such entries.",
        Higher.BETTER,
        places=_ONE_ALONE,
        is_of_asking=True,
    )
    yield Measure(
        "order_respected",
        Label("order of examinations kept", "遵守检查顺序的比例"),
        Unit.SHARE,
        "Of all pairs of the record's examination order, the share whose members were both asked"
        " for, the first not later than the second.",
        "Consultations whose record has an examination order.",
        Higher.BETTER,
        places=_ONE_ALONE,
        is_of_asking=True,
    )
    yield Measure(
        "order_pairs",
        Label("pairs of the order that can be judged", "可判断顺序的检查对"),
        Unit.COUNT,
        "Pairs of the examination order whose members were both asked for.",
        "All consultations that ended.",
        places=_ONE_ALONE,
        is_of_asking=True,
    )
    yield Measure(
        "order_share",
        Label("order respected", "其中顺序正确的比例"),
        Unit.SHARE,
        "Of the pairs of the examination order whose members were both asked for, the share whose"
        " first was not asked for later than its second.",
        "Consultations with such a pair.",
        Higher.BETTER,
        places=_IN_TABLES,
        is_of_asking=True,
    )
    yield Measure(
        "turns",
        Label("turns", "轮数"),
        Unit.COUNT,
        "Questions that were asked, also by the doctor's strategy.",
        _ANSWERED,
        value=lambda consultation: consultation.turns,
        places=_AFTER_RUN,
        is_of_asking=True,
    )
    yield Measure(
        "rounds",
        Label("questions", "提问数"),
        Unit.COUNT,
        "The same, as it was counted from the transcript.",
        _ANSWERED,
        places=_ONE_ALONE,
    )
    yield Measure(
        "rounds_expected",
        Label("questions a good consultation takes", "良好问诊所需提问数"),
        Unit.COUNT,
        "Questions that the record says a good consultation takes.",
        _ANSWERED,
        places=_ONE_ALONE,
    )
    yield Measure(
        "repeats",
        Label("repeated questions", "重复提问"),
        Unit.COUNT,
        "Questions of the doctor itself for which the retrieval found only what it had found for"
        " earlier ones.",
        _ANSWERED,
        Higher.WORSE,
        lambda consultation: consultation.repeats,
        places=_AFTER_RUN | {Place.PAGE},
        is_of_asking=True,
    )
    yield Measure(
        "rounds_ratio",
        Label("turns / expected", "实际与所需提问数之比"),
        Unit.RATIO,
        "Questions that were asked, divided by those that a good consultation takes.",
        _ANSWERED,
        places=_IN_TABLES,
        is_of_asking=True,
    )
    yield Measure(
        "deciding_turn",
        Label("turn of deciding finding", "关键发现出现的轮次"),
        Unit.TURN,
        "The turn in which the patient first disclosed the finding that settles the diagnosis.",
        "Consultations in which it was disclosed.",
        places=_IN_TABLES,
        is_of_asking=True,
    )
    yield Measure(
        "tests_asked",
        Label("tests asked for", "问到的检查"),
        Unit.COUNT,
        f"Different tests that were asked for and have been done. {_OWN_QUESTIONS}",
        _ANSWERED,
        places=_IN_TABLES,
        is_of_asking=True,
    )
    yield Measure(
        "tests_not_done",
        Label("tests asked for and never done", "问到但未做的检查"),
        Unit.COUNT,
        "Different tests that were asked for and have not been done.",
        _ANSWERED,
        places=_ONE_ALONE,
        is_of_asking=True,
    )
    yield Measure(
        "tests_cost",
        Label("cost of tests", "检查费用"),
        Unit.PRICE,
        "The prices of the tests that were asked for and have been done, added up.",
        "Consultations all of whose tests have a price in the list that was given.",
        places=_IN_TABLES,
        is_of_asking=True,
    )


def _of_talk() -> Iterator[Measure]:
    """How both sides spoke, and what the answers rest on."""
    yield Measure(
        "things_per_turn",
        Label("things asked in a turn", "每轮问到的事项数"),
        Unit.RATIO,
        "Things that a question asks for, as a model as RAM reads it, on average."
        f" {_OWN_QUESTIONS}",
        "Consultations whose questions a model read.",
        from_transcript=talk.things_per_turn,
        places=_IN_TABLES,
        is_of_asking=True,
    )
    yield Measure(
        "question_length",
        Label("length of a question", "提问的长度"),
        Unit.COUNT,
        "Words of a question in English, characters in Chinese: the median of the consultation."
        f" {_OWN_QUESTIONS}",
        "Consultations in which anything was asked.",
        from_transcript=talk.question_length,
        places=_IN_TABLES,
        is_of_asking=True,
    )
    yield Measure(
        "reply_length",
        Label("length of a reply", "回答的长度"),
        Unit.COUNT,
        "Words of a reply in English, characters in Chinese: the median of the consultation.",
        "Consultations in which the patient replied.",
        from_transcript=talk.reply_length,
        places=_IN_TABLES,
        is_of_asking=True,
    )
    yield Measure(
        "things_assumed",
        Label("asked for and assumed", "问到但只能推定的比例"),
        Unit.SHARE,
        "Of the things asked for, the share about which the record is silent, so that the patient"
        " said what people say then.",
        "Consultations whose questions a model read.",
        from_transcript=talk.share_assumed,
        places=_IN_TABLES,
        is_of_asking=True,
    )
    yield Measure(
        "things_unknown",
        Label("asked for and not known", "问到但不知道的比例"),
        Unit.SHARE,
        "Of the things asked for, the share that the patient does not know.",
        "Consultations whose questions a model read.",
        from_transcript=talk.share_unknown,
        places=_IN_TABLES,
        is_of_asking=True,
    )

    yield Measure(
        "guarded_got",
        Label("guarded facts got at", "患者隐瞒、淡化或记不清而最终问出的比例"),
        Unit.SHARE,
        "Of the entries that the patient's persona denied, played down, forgot or blurred when they"
        " were asked for, the share that it told plainly when the doctor asked again.",
        "Consultations with a persona in which such an entry was asked for.",
        Higher.BETTER,
        from_transcript=talk.share_of_guarded_got,
        places=_IN_TABLES,
        is_of_asking=True,
    )


def _of_replies() -> Iterator[Measure]:
    """What the patient's replies were like."""
    yield Measure(
        "replies",
        Label("replies", "回答数"),
        Unit.COUNT,
        "The patient's replies to questions.",
        "All consultations that ended.",
        value=lambda consultation: consultation.replies,
        places=frozenset({Place.SIMULATE, *_ONE_ALONE}),
        totals_in=frozenset({Place.SIMULATE}),
    )
    yield Measure(
        "names_diagnosis",
        Label("replies naming the diagnosis", "说出诊断名的回答"),
        Unit.COUNT,
        "Replies with a listed name of the diagnosis, word for word, that is not in the question.",
        f"{_ANSWERED} The total counts all that ended.",
        Higher.WORSE,
        places=_AFTER_RUN | {Place.PAGE},
        totals_in=frozenset({Place.SIMULATE}),
        decimals=2,
        is_of_asking=True,
    )
    yield Measure(
        "unknown_digits",
        Label("replies with unknown digits", "含无出处数字的回答"),
        Unit.COUNT,
        "Replies with digits that stand in nothing the patient had.",
        f"{_ANSWERED} The total counts all that ended.",
        Higher.WORSE,
        places=_AFTER_RUN | {Place.PAGE},
        totals_in=frozenset({Place.SIMULATE}),
        decimals=2,
        is_of_asking=True,
    )
    yield Measure(
        "disclosed_share",
        Label("retrieved entries disclosed", "找到的内容中告知的比例"),
        Unit.SHARE,
        "Of the entries that were retrieved for a question, the share that the reply disclosed.",
        "Consultations in which any were retrieved.",
        Higher.BETTER,
        places=_ONE_ALONE,
    )
    yield Measure(
        "replies_read",
        Label("replies read", "模型读过的回答"),
        Unit.COUNT,
        "Replies that the judge of the patient read.",
        "Runs in which a model read replies.",
        value=_replies_read,
        places=frozenset({Place.SIMULATE, *_ONE_ALONE}),
        totals_in=frozenset({Place.SIMULATE}),
        needs_reader=True,
    )
    labels = dict(zip(READ_FAULTS, _READ_FAULT_LABELS, strict=True))
    for kind, (label, formula) in labels.items():
        yield Measure(
            kind,
            label,
            Unit.SHARE,
            formula,
            "Replies that the judge of the patient read.",
            Higher.WORSE,
            _faulty(kind),
            is_of_replies=True,
            needs_reader=True,
        )


_READ_FAULT_LABELS = (
    (
        Label("patient: leaks in replies read", "泄露诊断的回答"),
        "Replies that give the diagnosis away, by the judge of the patient.",
    ),
    (
        Label("patient: fabrications in replies read", "编造内容的回答"),
        "Replies that claim what nothing the patient was given supports, by the judge of the"
        " patient.",
    ),
    (
        Label("patient: contradictions in replies read", "与病历矛盾的回答"),
        "Replies that say the opposite of an entry, by the judge of the patient.",
    ),
    (
        Label("patient: other language in replies read", "使用其他语言的回答"),
        "Replies with a sentence in another language than the consultation's, by the judge of the"
        " patient.",
    ),
)


def _replies_read(consultation: ScoredConsultation) -> float | None:
    return None if consultation.patient_ruler is None else consultation.replies_read


def _faulty(kind: str) -> ValueOf:
    def value(consultation: ScoredConsultation) -> float | None:
        if consultation.patient_ruler is None:
            return None
        return consultation.faulty_replies(kind)

    return value


def _of_usage() -> Iterator[Measure]:
    """What models used, in all and by role."""
    for name, words, zh in (
        ("tokens_in", "read", "读入词元"),
        ("tokens_out", "wrote", "写出词元"),
    ):
        yield Measure(
            name,
            Label(name.replace("_", " "), zh),
            Unit.TOKENS,
            f"Tokens that all models {words}, as if no answer were shared.",
            "Consultations all of whose calls told their tokens.",
            value=_total_used(name),
            places=_TABLES,
        )
    yield Measure(
        "cost",
        Label("cost, USD", "费用（美元）"),
        Unit.USD,
        "What all calls cost, as if no answer were shared.",
        "Consultations all of whose models have a price.",
        value=_total_used("cost"),
        places=_TABLES,
    )
    for seat in SEATS:
        yield Measure(
            f"tokens_{seat}",
            Label(f"tokens: {seat_name(seat)}", f"{_ZH[seat]}词元"),
            Unit.TOKENS,
            f"Tokens that the model of the role {seat_name(seat)} read and wrote.",
            "Consultations all of whose calls in this role told their tokens.",
            value=_used(seat, "tokens"),
            places=_AFTER_RUN,
            hides_zero=True,
        )
    for seat in SEATS:
        yield Measure(
            f"cost_{seat}",
            Label(f"cost: {seat_name(seat)}, USD", f"{_ZH[seat]}费用（美元）"),
            Unit.USD,
            f"What the calls of the role {seat_name(seat)} cost.",
            "Consultations all of whose calls in this role have a price.",
            value=_used(seat, "cost"),
            places=_AFTER_RUN,
            hides_zero=True,
        )
    yield Measure(
        "judge_tokens",
        Label("judge tokens", "评判词元"),
        Unit.TOKENS,
        "Tokens that the judge used for its verdicts.",
        _ANSWERED,
        value=lambda consultation: consultation.judge_tokens,
        places=frozenset({Place.SIMULATE, Place.SCORES}),
        decimals=1,
        hides_zero=True,
    )
    yield Measure(
        "seconds",
        Label("seconds", "秒数"),
        Unit.SECONDS,
        "From the beginning of the consultation to its end.",
        _ANSWERED,
        value=lambda consultation: consultation.seconds,
        places=_TABLES,
    )
    yield Measure(
        "memory_failures",
        Label("failed calls of the memory's model", "记忆模型调用失败次数"),
        Unit.COUNT,
        "Calls of the memory's model that failed: what it should have made of a turn is missing.",
        "All consultations that ended.",
        Higher.WORSE,
        places=_ONE_ALONE,
    )


def _total_used(name: str) -> ValueOf:
    return lambda consultation: getattr(consultation, name)


def _used(seat: Role, name: str) -> ValueOf:
    return lambda consultation: getattr(consultation.makers.usage.get(seat.value, Usage()), name)


def _of_streams() -> Iterator[Measure]:
    """A consultation of a stream whose doctor learns from earlier cases."""
    denominator = "Consultations of a stream."
    yield Measure(
        "stream_position",
        Label("earlier patients of its stream", "此前的患者数"),
        Unit.RANK,
        "Cases before this one in the stream of its column.",
        denominator,
        places=_ONE_ALONE,
    )
    yield Measure(
        "lessons_nearest",
        Label("nearest patient of a lesson", "经验来源中最相近的患者"),
        Unit.RATIO,
        "The largest share of findings, numbers or words that the patient has in common with the"
        " patient of a lesson that could be recalled.",
        "Consultations that could recall a lesson.",
        places=_ONE_ALONE,
    )
    yield Measure(
        "lessons_kept_away",
        Label("patients whose lessons were kept away", "经验被隔开的患者数"),
        Unit.COUNT,
        "Earlier cases whose lessons were kept away from it.",
        denominator,
        places=_ONE_ALONE,
    )
    yield Measure(
        "lessons_recalled",
        Label("lessons recalled", "回想起的经验数"),
        Unit.COUNT,
        "Different lessons from earlier patients that were recalled.",
        denominator,
        places=_ONE_ALONE,
    )


def _unsafe() -> Measure:
    return Measure(
        "treatment_unsafe",
        Label("unsafe", "治疗不安全"),
        Unit.SHARE,
        "1 if the judge calls the treatment unsafe, 0 for any other verdict.",
        _JUDGED[TREATMENT],
        Higher.WORSE,
        _is(TREATMENT, Verdict.UNSAFE),
        places=_TABLES,
    )


def _top_five() -> Measure:
    return Measure(
        "diagnosis_top5",
        Label("right among five", "前五个诊断中有正确者"),
        Unit.SHARE,
        "1 if one of the first five diagnoses that the doctor named is right.",
        "Consultations whose differential the judge has read.",
        Higher.BETTER,
        _is_among_five,
        places=_TABLES,
    )


BUILTIN: tuple[Measure, ...] = (
    *_verdict_shares(DIAGNOSIS),
    _top_five(),
    *_verdict_shares(TREATMENT),
    _unsafe(),
    *sensitivity(),
    *_of_asking(),
    *_of_talk(),
    *_of_replies(),
    *_of_usage(),
    *_of_streams(),
)
