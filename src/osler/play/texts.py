"""What the terminal says to a player, in the language of the patient."""

from __future__ import annotations

from dataclasses import dataclass

from osler.eval.verdict import Verdict
from osler.language import Language
from osler.play.request import PlayRole


@dataclass(frozen=True)
class PlayTexts:
    """One language. A field's slots are named by what fills them."""

    you: dict[PlayRole, str]
    who: str
    how: dict[PlayRole, str]
    help: dict[PlayRole, str]
    doctor: str
    patient: str
    left: str
    answer: str
    wait: str
    no_more: str
    diagnosis: str
    treatment: str
    known: str
    nothing_known: str
    memory_empty: str
    recalled: str
    turn: str
    group: str
    too_long: str
    end: str
    broken: str
    you_said: str
    doctor_said: str
    truth: str
    no_treatment: str
    verdicts: dict[Verdict, str]
    verdict: str
    coverage: str
    pairs: str
    missed: str
    entry: str
    deciding: str
    order: str
    step: str
    never: str
    after: str
    untrue: str
    was: str
    kept: str
    not_kept: str
    gone_kept: str
    gone: str


_EN = PlayTexts(
    you={PlayRole.DOCTOR: "You are the doctor.", PlayRole.PATIENT: "You are the patient, or speak for them."},
    who="The patient: {age}, {sex}; speaking: {speaker}. The doctor may ask {limit} questions.",
    how={
        PlayRole.DOCTOR: "Ask freely and order tests in plain words. `end`: diagnosis and treatment; `?`: help.",
        PlayRole.PATIENT: "Answer in your own words from what you are shown. `?`: help; `quit`: leave.",
    },
    help={
        PlayRole.DOCTOR: "Type a question, or a test you want, and press Enter.\n"
        "  end     give your diagnosis and treatment\n"
        "  memory  what the memory would have kept so far\n"
        "  quit    leave; what was said is kept as a consultation that broke off\n"
        "  ?       this help",
        PlayRole.PATIENT: "Type your answer and press Enter. Say that you do not know where you know nothing.\n"
        "  memory  what the doctor's memory has kept so far\n"
        "  quit    leave; what was said is kept as a consultation that broke off\n"
        "  ?       this help",
    },
    doctor="Doctor: ",
    patient="Patient: ",
    left="{left} left > ",
    answer="Your answer > ",
    wait="One moment …",
    no_more="No question is left. Give your diagnosis and treatment.",
    diagnosis="Diagnosis",
    treatment="Treatment",
    known="You know: {name}: {told}",
    nothing_known="You know nothing about this.",
    memory_empty="Nothing yet: a turn is remembered while the next question is thought of.",
    recalled="brought to mind now",
    turn="turn {turn}",
    group=", group {group}",
    too_long="That is {length:,} characters long; use at most {most:,}.",
    end="It is over after {asked} of {limit} questions.",
    broken="It ended without an answer: {reason}",
    you_said="you: ",
    doctor_said="the doctor: ",
    truth="truth: ",
    no_treatment="the record names none",
    verdicts={
        Verdict.CORRECT: "correct",
        Verdict.PARTIAL: "partly right",
        Verdict.WRONG: "wrong",
        Verdict.NONE: "nothing was given",
        Verdict.UNPARSED: "could not be read",
        Verdict.UNSAFE: "unsafe",
    },
    verdict="  {verdict}: {because}",
    coverage="Key findings asked for: {asked} of {total}; questions: {rounds}, expected {expected}.",
    pairs="Order kept in {kept} of {pairs} pairs that can be judged.",
    missed="Never asked for:",
    entry="  - {name} ({kind})",
    deciding=", decides",
    order="Should have been asked for in this order:",
    step="  {rank}. {name}: {when}",
    never="never asked for",
    after=", only after {names}",
    untrue="Your replies: {fabrications} told what the record does not hold, {contradictions} contradicted it.",
    was="The patient was {case}.",
    kept="SavedConsultation: `osler show {run} {case} --memory {memory} --trial {trial}` shows it.",
    not_kept="It could not be kept: {reason}",
    gone_kept="You left; what was said is kept in {run} as a consultation that broke off, and is not scored.",
    gone="You left before you said anything; nothing was kept.",
)
_ZH = PlayTexts(
    you={PlayRole.DOCTOR: "您是医生。", PlayRole.PATIENT: "您是患者，或替患者说话的人。"},
    who="患者：{age}，{sex}；叙述者：{speaker}。医生最多可以问{limit}个问题。",
    how={
        PlayRole.DOCTOR: "请自由提问，需要什么检查直接说。输入“结束”（end）给出诊断和治疗，输入“？”看帮助。",
        PlayRole.PATIENT: "请根据所示内容用自己的话回答。输入“？”看帮助，输入“退出”（quit）离开。",
    },
    help={
        PlayRole.DOCTOR: "输入问题或想做的检查，按回车。\n"
        "  结束 end     给出诊断和治疗\n"
        "  记忆 memory  到目前为止记忆会记住什么\n"
        "  退出 quit    离开；已说的内容作为中断的问诊保存\n"
        "  ？ ?         本帮助",
        PlayRole.PATIENT: "输入您的回答，按回车。不知道的就说不知道。\n"
        "  记忆 memory  到目前为止医生的记忆记住了什么\n"
        "  退出 quit    离开；已说的内容作为中断的问诊保存\n"
        "  ？ ?         本帮助",
    },
    doctor="医生：",
    patient="患者：",
    left="还可问{left}次 > ",
    answer="您的回答 > ",
    wait="请稍候……",
    no_more="不能再问了，请给出诊断和治疗。",
    diagnosis="诊断",
    treatment="治疗",
    known="您知道：{name}：{told}",
    nothing_known="这方面您什么也不知道。",
    memory_empty="还没有内容：每一轮在考虑下一个问题时才被记住。",
    recalled="此刻想起的",
    turn="第{turn}轮",
    group="，第{group}组",
    too_long="太长了：{length:,}个字符；最多{most:,}个。",
    end="问诊结束，共问了{asked}个问题（最多{limit}个）。",
    broken="问诊没有结论就结束了：{reason}",
    you_said="您：",
    doctor_said="医生：",
    truth="答案：",
    no_treatment="病历没有给出",
    verdicts={
        Verdict.CORRECT: "正确",
        Verdict.PARTIAL: "部分正确",
        Verdict.WRONG: "错误",
        Verdict.NONE: "没有给出",
        Verdict.UNPARSED: "无法读懂",
        Verdict.UNSAFE: "不安全",
    },
    verdict="  {verdict}：{because}",
    coverage="问到的关键要素：{asked}/{total}；问题{rounds}个，预期{expected}个。",
    pairs="可判断的{pairs}对先后顺序中，{kept}对符合。",
    missed="从未问到：",
    entry="  - {name}（{kind}）",
    deciding="，决定性",
    order="应按以下顺序询问：",
    step="  {rank}. {name}：{when}",
    never="从未问到",
    after="，在{names}之后才问",
    untrue="您的回答中：{fabrications}次说了病历没有的内容，{contradictions}次与病历相反。",
    was="这位患者是{case}。",
    kept="已保存：用 `osler show {run} {case} --memory {memory} --trial {trial}` 查看。",
    not_kept="未能保存：{reason}",
    gone_kept="您离开了；已说的内容作为中断的问诊保存在{run}，不计分。",
    gone="您什么也没说就离开了；没有保存任何内容。",
)


def words_in(language: Language) -> PlayTexts:
    """What is said to a player of that language."""
    return _ZH if language is Language.ZH else _EN
