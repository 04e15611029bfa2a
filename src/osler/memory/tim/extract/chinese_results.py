"""Results in a Chinese reply: a name, a number with its unit, and the verdict on it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_VERDICT = (
    r"(?:(?:有点|稍微|略|明显)?(?:偏高|偏低|升高|降低|增高|高|低)(?:了|一点)?|正常|阳性|阴性|异常|在范围里|"
    r"在正常范围|达标|挺好|还行|还可以|弱阳性)"
)
_JUDGED = re.compile(rf"^(?:都|也|是|属于|说|标着|写着|这个|那是|算|还|挺|就是|有点)*(?P<v>{_VERDICT})(?:的|了|吧)?$")
_ONE = re.compile(
    r"^(?P<name>[A-Za-zα-ωΑ-Ω\u4e00-\u9fff][\w\u4e00-\u9fffα-ωΑ-Ω\-()（）+/ ]{0,60}?)?"
    r"(?:写的是|写的|写着|显示|测的是|测出来|量的是|量的|量了|是|为|有|:|：|=|一直是|还是|最高|大概|差不多)*\s*"
    r"(?<![\u4e00-\u9fff][A-Z])(?<!-[A-Z])(?<!-[A-Z]\d)(?P<value>(?:[<>≤≥约]|低于|高于|不到|超过|百分之)?\s*\d[\d./+~×x^-]*(?:[到至]\d[\d.]*)?\s*"
    rf"(?P<unit>[^\s，。、\d\u4e00-\u9fff][^\s，。、\u4e00-\u9fff]*|度|毫米|厘米|毫升|公斤|斤|秒|次|分|岁|单位|毫克|微克|克|升|米)?)\s*(?P<verdict>{_VERDICT})?(?:左右|吧|的)?$"
)
_WORDED = re.compile(
    r"^(?P<name>[\w\u4e00-\u9fff\-]{2,12}?)(?:都|也)?(?:是|为)?(?P<value>阳性|阴性|弱阳性|正常)(?:的)?$"
)
_NO_NAME = re.compile(
    r"输血|吃|疼|痛|肿|咳|喝|了|着|过|走|跑|从|每|抽|缝|躺|大概|一共|最|没|不|说|他|她|我|就|得|第|打|烧|一分钟|只|刚|护士|型$|级$|前$|后$|^要$|^结果$"
)
_TIME = re.compile(r"^\D*\d[\d.]*(?:到\d+)?\s*(?:个|多)?(?:年|月|天|周|星期|小时|分钟|次|点|岁|片|粒|瓶|根|支)")
_COUNTED = re.compile(r"心率|心跳|脉搏|呼吸|次数")


_HANDS = re.compile(
    r"^(?:(?:血常规|肾功能|肝功能|尿检|尿常规|血气|凝血|生化|电解质|甲功)?(?:单子)?上|(?:电解质|[肝肾]功能)是(?=[^\d常])|上面|报告上)|"
    r"^有(?:一项|一个|个|项)(?=[A-Za-z\u4e00-\u9fff]{2})|"
    r"^(?:刚才|刚|护士|医生|大夫|给[我他她]?|在家|两边都)*(?:量|测)(?:了|的|过|出来)*(?:是)?(?=\d)"
)
_AND = re.compile(r"(?<=[\d%a-zA-Z/])(?:、|和|，)(?=[^\d])")
_SIDE = re.compile(
    r"^(?:左|右|两|双)?(?:边|侧|眼|耳|手|腿|脚|胳膊|臂|膝)?$|^(?:疼痛)?(?:程度|评分)$|能[弯走动抬]|是$|^(?:正常|上限|下限|今|昨|参考)"
)
_TAIL = re.compile(r"(?:一直|还|大概|上|的)$")
_AT_HOME = re.compile(r"^(?:在?家[里中]?|医院)(?:里)?(?:量|测)?(?:的)?")
_DEGREES = re.compile(r"(?:3[4-9]|4[0-2])(?:\.\d)?(?![\d%./])")
_FEVER = re.compile(r"烧|发热|体温|怕冷")
_MEASURES = (
    (re.compile(r"\d\s*(?:度|°\s*[CF]|℃)"), "体温"),
    (re.compile(r"\d\s*(?:mm\s?Hg|毫米汞柱)", re.IGNORECASE), "血压"),
)
_SPECIMEN = re.compile(r"(?<!糖)尿(?![病毒])|大便|粪便|痰|精液|脑脊液|关节液|胸水|腹水")


class Result(NamedTuple):
    """One measured value; a name that is empty is the question's topic."""

    name: str
    value: str


def verdict_of(text: str) -> str:
    """`偏高` of `这个偏高`; empty when it is no verdict."""
    found = _JUDGED.match(text)
    return found["v"] if found else ""


def measure_of(value: str, topic: str) -> str:
    """What was measured, where the unit tells: degrees are a temperature, and so is 38.2 when a fever was asked for."""
    if _DEGREES.match(value.removeprefix("最高")) and _FEVER.search(topic):
        return "体温"
    return next((name for unit, name in _MEASURES if unit.search(value) and name not in topic), "")


def is_side(name: str) -> bool:
    """`左边` names a side of something that was named before, and `正常` no thing at all."""
    return _SIDE.search(name) is not None


def of_specimen(name: str, topic: str) -> str:
    """`尿白细胞` when urine was tested: without it a count of the blood would take its place."""
    found = _SPECIMEN.search(topic)
    return f"{found[0]}{name}" if found and not _SPECIMEN.search(name) else name


def read_results(text: str) -> list[Result]:
    """All results of a clause, or none when a part of it is something else."""
    results: list[Result] = []
    for part in _AND.split(text):
        result = _one(part.strip())
        if not result:
            return []
        results.append(result)
    return results


@lru_cache(maxsize=1024)
def _one(part: str) -> Result | None:
    part = _HANDS.sub("", part)
    found = _ONE.match(part)
    if found:
        name = _TAIL.sub("", (found["name"] or "").strip())
        value = " ".join(filter(None, (found["value"].strip(), found["verdict"])))
        name = _AT_HOME.sub("", name)
        if "最高" in part and not name.endswith("最高"):
            value = f"最高{value}"
        timed = _TIME.match(found["value"])
        if timed and not _COUNTED.search(name):
            return None
        if name in {"低于", "高于", "不到", "超过"}:
            name, value = "", f"{name}{value}"
        if not name:
            return Result("", value)
        if found["unit"] in {"毫克", "微克", "mg"} or _NO_NAME.search(name) or len(name) > 14:
            return None
        return Result(name, value)
    worded = _WORDED.match(part)
    if worded and not _NO_NAME.search(worded["name"]):
        return Result(worded["name"], worded["value"])
    return None
