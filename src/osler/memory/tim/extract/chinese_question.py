"""What a Chinese question asks, so that `没有。` or `三个星期。` can be understood."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from osler.language import Language
from osler.language.words import sentences
from osler.memory.tim.extract.chinese_words import KIN, SPAN, TIME
from osler.memory.tim.extract.clauses import Question

PATIENT = "患者"
COMPLAINT = "症状"
_LONGEST = 30
_LEAD = re.compile(
    r"^(?:好的|好|嗯|明白了|谢谢|那么|那|另外|还有(?!没有|无)|请问|请|能不能|可以|告诉我|说说|说一下|，|,|\s|您|你|孩子|患者|他|她|最近|平时|以前|之前|现在|目前|曾经|"
    r"一下|这次|这几天|近来|还(?!有无))*"
)
_BESIDES = re.compile(r"^除了[^，,]*(?:[，,]|以外|之外)+")
_SECOND = re.compile(r"[，,](?=(?:在|由)?(?:什么|怎|哪|如何|是否|有没有|会不会|多|还有|都有)).*$")
_NAME = 8
"""Characters of a topic that `它` can mean."""
_VALUE = 16
"""Characters of a value; what is longer is a statement of its own."""
_FITTING = {
    "开始于": re.compile(
        rf"^(?:就|大概|大约|是)*(?:{TIME.pattern})(?:突然|慢慢|就|开始|的|疼|痛|发作|左右|吧)*$|^从[^，]{{1,8}}(?:起|开始|以后)(?:的|吧)?$|以后$|之后$"
    ),
    "持续": re.compile(rf"^(?:都|已经|有|大概|大约|差不多|快|约|持续了?|到现在)*{SPAN}|[断停]"),
    "抽": re.compile(r"[\d一二两三四五六七八九十半几支包根]|烟"),
    "喝": re.compile(r"[\d一二两三四五六七八九十半几杯瓶斤]|酒"),
    "吸": re.compile(r"[\d一二两三四五六七八九十半几支包根]|烟"),
}
_ASIDE_ASKED = re.compile(r"[，,][^，,]*?(?:会不会|是不是|能不能|有没有).*$")
"""`怕不怕光，见光会不会难受`: one thing, asked twice."""
_ASKED = re.compile(r"(?:吗|呢|吧|没有|没|啊|呀)*$")
_EXAMS = r"查|测|做|拍|量|验|抽|照|化验|检查"

_WORDED = (
    (
        r"(?P<t>.*?)(?:大概|已经|都|有|持续|出现|是)*(?:多久|多长时间|几天|几个月|几年|几个小时|多少天|多少年)了?(?:的)?",
        "持续",
    ),
    (r"(?:从)?(?:什么时候|啥时候|何时|哪天|几号)(?:开始)?(?:有|出现|得)?(?:的)?(?P<t>.*?)(?:的)?", "开始于"),
    (r"(?P<t>.*?)(?:是)?(?:从)?(?:什么时候|啥时候|何时|哪天)(?:开始|出现|发现|有|起)?(?:的|疼|痛)*", "开始于"),
    (r"(?:具体)?(?:哪里|哪儿|哪个部位|什么地方|哪边|哪一边|哪侧)(?P<t>.*)", "位于"),
    (r"(?P<t>.*?)(?:具体)?(?:在|是)(?:哪里|哪儿|哪个部位|什么部位|什么地方|哪边|哪一边|哪一侧|哪侧)", "位于"),
    (r"(?:今年)?(?:多大|几岁|多少岁|年龄).*", "年龄为"),
    (r"(?:体重.*|多重)", "体重为"),
    (r"(?:身高.*|多高)", "身高为"),
    (r"(?P<t>.*?)(?:有)?(?:多严重|多厉害|多疼|多痛|几分|打几分|严重吗|厉害吗|程度如何|程度怎么样)", "程度为"),
    (r"(?P<t>.*?)(?:多久一次|一天几次|每天几次|几次|频率.*)", "频率为"),
    (r".*(?:吃|用|服)(?:用)?(?:着|过|了)?(?:什么|哪些|啥|哪种)药?.*", "服用"),
    (r"(?:哪里不舒服|怎么了|怎么不舒服|什么不舒服|哪儿不舒服|有什么问题).*", "说"),
    (
        r"(?P<t>.+?)(?:有(?:什么|哪些)(?:发现|异常)|(?:显示|发现|查出|看到|说)了?(?:什么|些什么)|是怎么(?:说|写)的)",
        "显示",
    ),
    (r"(?P<t>.*?)(?:是|为|有)?(?:多少|多高|多低)(?:度)?", "为"),
    (r"(?P<t>.*?)(?:的)?(?:结果)?(?:怎么样|如何|是什么|什么样)", "为"),
    (r"(?P<t>[^，,有没吗是什怎哪多]{1,6})呢", "为"),
)
_ATTRIBUTES = tuple((re.compile(pattern), relation) for pattern, relation in _WORDED)
_TESTED = re.compile(r"结果|化验|检查|拍片|片子|CT|核磁|B超|超声|造影|心电图|听诊|触诊|叩诊|镜", re.IGNORECASE)
_DOES = re.compile(r"[吃喝用服去受]|接触|出现|感觉|感到|使用|做过")
"""What is done or felt: `不知道 吃油腻` would read as if it were done unknowingly."""
_MAY_BE_NONE = frozenset({"服用", "说", "程度为", "频率为", "为", "持续", "位于"})
"""What may not be there at all, so that a no is an answer. To ask when it began takes it for granted."""
_OF_PATIENT = {"年龄为": "年龄", "体重为": "体重", "身高为": "身高", "服用": "用药", "说": COMPLAINT}


@lru_cache(maxsize=1024)
def read_question(text: str) -> Question:
    """How a reply that leaves things out is completed. Many patients are asked the same."""
    asked = [part for part in sentences(text, Language.ZH) if part.endswith(("？", "?"))] or sentences(
        text, Language.ZH
    )
    line = _LEAD.sub("", asked[0].rstrip("？?。！ ")) if asked else ""
    line = re.sub(r"[（(][^）)]*[）)]", "", line)
    line = _LEAD.sub("", _BESIDES.sub("", line))
    examined = re.search(rf"(?:{_EXAMS})过|结果|看到了什么|发现了什么", text) is not None
    more = re.search(r"还有|另外|别的|其他|其它", text) is not None
    question = (
        _compound(line)
        or _attribute(_SECOND.sub("", line))
        or _named_things(line, more)
        or _polar(line, examined)
        or _loose(line)
    )
    whole = len(question.topic) > _NAME or re.search(r"[，、？吗哪]|什么|怎|症状", question.topic)
    return replace(question, thing=COMPLAINT if whole else question.topic)


def _compound(line: str) -> Question | None:
    """`抽烟喝酒吗，做什么工作？`: more than one question, so that a bare value is of none."""
    tests = re.match(rf"(?:{_EXAMS})过(?:什么|哪些)(?P<t>[^，,]{{0,4}}(?:检查|化验|片子?|试验))", line)
    if tests:
        return Question(tests["t"], PATIENT, "做过", "没做过", tests["t"], tests["t"], "", tests["t"], examined=True)
    first = re.match(r"(?P<v>[^，,？?]{2,10})吗[，,？?].*(?:什么|怎么|如何|哪|多)", line)
    if not first or re.search(rf"(?:{_EXAMS})过|结果", line):
        return None
    what = _short(re.sub(r"^(?:有|在)(?:没有)?", "", first["v"]))
    return Question(what, PATIENT, "有", "没有", what, PATIENT, "说", what, compound=True)


def fits(relation: str, value: str) -> bool:
    """Whether words can be the value that was asked for; if not, they are only what was said."""
    pattern = _FITTING.get(relation)
    return pattern is None or (len(value) <= _VALUE and pattern.search(value) is not None)


def _short(text: str) -> str:
    text = re.sub(r"^(?:您的?|你的?|的|什么|任何|这种|这个|那个)+", "", text.strip("，, "))
    return re.sub(r"(?:最近|平时|现在)$", "", _ASKED.sub("", text))[:_LONGEST]


def _attribute(line: str) -> Question | None:
    bare = _ASKED.sub("", line)
    for pattern, relation in _ATTRIBUTES:
        found = pattern.fullmatch(bare) or pattern.fullmatch(line)
        if found:
            topic = _OF_PATIENT.get(relation) or _named(_short(found.groupdict().get("t") or ""))
            holder = PATIENT if relation in _OF_PATIENT else topic
            tested = relation == "显示" or (relation == "为" and _TESTED.search(line) is not None)
            yes, no = ("有", "没有") if relation in _MAY_BE_NONE and not tested else ("", "")
            return Question(topic, PATIENT, yes, no, topic, holder, "" if tested else relation, topic, tested)
    return None


def _named_things(line: str, more: bool) -> Question | None:
    """`还有哪些症状`, `以前得过什么病`: things to be named, or none."""
    found = re.fullmatch(
        r"(?P<s>.{0,6}?)(?P<v>有|得过|患过|做过|动过)?(?:哪些|什么|啥)(?:别的|其他|其它|另外的?)?(?P<t>症状|毛病|疾病|病|手术|不适|异常).*",
        line,
    )
    if not found:
        return None
    topic = f"别的{found['t']}" if more else found["t"]
    kin = KIN.match(found["s"])
    who, verb = kin[1] if kin else PATIENT, found["v"] or "有"
    no = f"没{verb}" if verb != "有" else "没有"
    matter = topic if more else f"{who if kin else ''}{verb}什么{found['t']}"
    return Question(topic if not kin else f"{who}{topic}", who, verb, no, topic, topic, "说", matter)


def _named(topic: str) -> str:
    if topic in {"疼", "痛"}:
        return "疼痛"
    if topic in {"这", "这个", "那", "那个", "它", "这种情况"}:
        return COMPLAINT
    return topic or COMPLAINT


def _of_kin(line: str) -> Question | None:
    """`妈妈得过乳腺癌吗`, `家里有人得糖尿病吗`: an illness of somebody else."""
    found = re.fullmatch(
        r"(?:有没有)?(?P<s>家(?:里|人|族)?|.{1,4}?)(?:里|中|里面)?(?:有没有人|有人|谁|人)?(?:也|都)?(?:有没有)?(?:得过?|患过?|有过?|有)(?P<o>[^什哪啥，,]{2,12}?)(?:的|病史)?(?:吗|没有|没)",
        line,
    )
    if not found or not (found["s"].startswith("家") or KIN.fullmatch(found["s"])):
        return None
    who = "家里人" if found["s"].startswith("家") else found["s"]
    what = _short(found["o"])
    return Question(f"{who}{what}", who, "有", "没有", what, f"{who}{what}", "为", f"{who}有没有{what}")


def _polar(line: str, examined: bool) -> Question | None:
    if of_kin := _of_kin(line):
        return of_kin
    exam = re.fullmatch(rf"(?P<s>.*?)(?P<v>(?:{_EXAMS})过)(?P<o>.+?)(?:吗|没有|没)?(?:[，,].*)?", line)
    if exam and "手术" in exam["o"]:
        what = _short(exam["o"])
        return Question(what, PATIENT, exam["v"], f"没{exam['v']}", what, PATIENT, "说", what)
    if exam and examined:
        what = _short(exam["o"])
        return Question(what, PATIENT, exam["v"], f"没{exam['v']}", what, what, "", what, True)
    allergy = re.fullmatch(r"(?:有没有)?对(?P<o>.+?)过敏(?:吗)?(?P<more>[，,].*)?", line)
    if allergy:
        what = _short(allergy["o"] + (allergy["more"] or ""))
        return Question(f"{what}过敏", PATIENT, "过敏", "不过敏", what, PATIENT, "过敏", f"是否对{what}过敏")
    have = re.fullmatch(
        r"(?P<s>.{0,10}?)(?:有没有|有无|是否有)(?P<o>.+)|(?P<h>有|有过|得过|患过|诊断过|得了)(?P<p>.+?)(?:吗|没有)(?P<m>[，,].*)?",
        line,
    )
    if have:
        what = _short(have["o"] or have["p"] + (have["m"] or ""))
        what = re.sub(r"^过(?=.)", "", what)
        subject = _short(have["s"] or "") or PATIENT
        topic = what if subject == PATIENT else f"{subject}{what}"
        matter = f"有没有{topic}" if subject == PATIENT and _DOES.match(topic) else topic
        return Question(topic, subject, "有", "没有", what, topic, "为", matter, examined, presumed=examined)
    return _choice(line) or _being(line) or _verbal(line)


def _choice(line: str) -> Question | None:
    """`疼不疼`, `会不会`, `是不是`."""
    found = re.fullmatch(r"(?P<s>[^，]*?)(?P<v>[\u4e00-\u9fff])不(?P=v)(?P<o>.*)", line)
    if not found:
        return None
    verb, what = found["v"], _short(_ASIDE_ASKED.sub("", found["o"]))
    subject = _short(found["s"]) or (COMPLAINT if verb == "是" else PATIENT)
    topic = (
        what
        if subject in {PATIENT, COMPLAINT} and what
        else f"{subject}{verb}{what}"
        if verb not in "会能是"
        else subject
    )
    value = "为" if verb in "会能是" or not what else verb
    matter = f"{subject}是否{'' if verb == '是' else verb}{what}"
    return Question(topic, subject, verb, f"不{verb}", what, topic, value, matter, presumed=False)


def _being(line: str) -> Question | None:
    """`是左膝疼吗`."""
    found = re.fullmatch(r"是(?P<o>.+?)吗", line)
    if not found:
        return None
    what = _short(found["o"])
    return Question(COMPLAINT, COMPLAINT, "是", "不是", what, COMPLAINT, "是", f"是否{what}")


def _verbal(line: str) -> Question | None:
    """`在吃阿司匹林吗`, `抽烟吗`."""
    found = re.fullmatch(r"(?P<v>还在吃|在吃|在用|吃着|长期吃|吃|服用|用|抽|喝|吸)(?P<o>.+?)吗(?P<m>[，,].*)?", line)
    if not found:
        return None
    verb = re.sub(r"^(?:还在|在|长期)|着$", "", found["v"])
    what = _short(found["o"] + (found["m"] or ""))
    takes = verb in {"吃", "服用", "用"}
    return Question(
        what,
        PATIENT,
        "服用" if takes else verb,
        f"不{verb}",
        what,
        PATIENT,
        "服用" if takes else verb,
        f"是否{verb}{what}",
    )


def _loose(line: str) -> Question:
    topic = _short(line) or COMPLAINT
    return Question(topic, PATIENT, "确认", "否认", topic, topic, "说", topic)
