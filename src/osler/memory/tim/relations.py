"""What is known of relations before any patient speaks: one value or many, which facts must stay, who is who."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

from osler.language import Language
from osler.language.words import plain, words
from osler.memory.tim.thought import Draft
from osler.ranking import reaches

_SINGLE = {
    Language.EN: re.compile(
        r"\b(?:age|aged|weighs?|weight|height|temperature|located|location|site|side|onset|began|begins|begin|started|starts|"
        r"lasts?|lasted|duration|severity|scored?|rated|dose|dosage|frequency|happens|result|value|measured|measures|"
        r"pulse|heart rate|blood pressure|blood type|level|smoking status|marital status|occupation|sex|gender|"
        r"date of birth|due date|number of)\b"
    ),
    Language.ZH: re.compile(
        r"年龄|体重|身高|体温|位于|部位|位置|哪侧|开始于|起病|始于|持续|病程|程度|评分|剂量|用量|频率|结果|测得|数值|脉搏|心率|血压|血型|"
        r"吸烟状况|婚姻|职业|性别|出生日期|预产期"
    ),
}
_DRUGS_EN = (
    r"\w+(?:cillin|mycin|floxacin|statin|pril|sartan|olol|dipine|xaban|gatran|parin|prazole|conazole|oxetine|triptyline|"
    r"formin|gliptin|gliflozin|glutide|nisolone|methasone|zepam|zolam|codone|profen|cycline|thiazide|semide|triptan|setron|"
    r"lukast|terol|tidine|vir)s?|cef\w+|ceph\w+|sulfa\w*|sulph\w+|co-\w+xazole|aspirin|warfarin|clopidogrel|ticagrelor|heparin|insulin|"
    r"paracetamol|acetaminophen|ibuprofen|naproxen|diclofenac|codeine|morphine|tramadol|digoxin|amiodarone|levothyroxine|"
    r"thyroxine|carbimazole|methotrexate|lithium|allopurinol|colchicine|spironolactone|sildenafil|nitroglycerin|sertraline|"
    r"citalopram|salbutamol|steroids?|prednisone|contraceptives?|nsaids?|antibiotics?|antihistamines?|painkillers?"
)
_PROTECTED = {
    Language.EN: re.compile(
        r"\b(?:allerg\w*|anaphyla\w*|hives|urticaria|angio-?o?edema|intoleran\w*|side[ -]effects?|adverse|"
        r"reactions? (?:to|from|after)|reacted|(?:rash|swelled|swelling|swollen|itch\w*) (?:after|from|with)|"
        r"medicines?|medications?|tablets?|pills?|capsules?|inhalers?|injections?|drops|syrup|prescri\w+|"
        r"over the counter|"
        r"mg(?!\s*/)|mcg(?!\s*/)|blood[ -]thinn\w*|anti-?coagul\w*|anti-?platelet\w*|pregnan\w*|expecting|"
        r"breast-?feed\w*|"
        rf"nursing a|trying for a baby|{_DRUGS_EN})\b"
    ),
    Language.ZH: re.compile(
        r"过敏|荨麻疹|过敏性休克|不良反应|副作用|不耐受|起过?疹子|(?:吃|打|输|用)[^，。]{0,12}(?:起.{0,3}疹|嗓子.{0,2}肿|休克)|药|片剂|胶囊|"
        r"毫克|微克|mg(?!\s*/)|抗凝|抗血小板|怀孕|怀上|妊娠|孕|哺乳|喂奶|备孕|胰岛素|激素|抗生素|止痛|退烧|[\u4e00-\u9fff]+(?:西林|沙星|霉素|他汀|普利|"
        r"沙坦|洛尔|地平|沙班|拉唑|西泮|唑仑|列汀|列净|格列|双胍|噻嗪|塞米|替丁)|头孢|磺胺|华法林|肝素|达比加群|阿司匹林|氯吡格雷|替格瑞洛|"
        r"布洛芬|双氯芬酸|萘普生|对乙酰氨基酚|扑热息痛|二甲双胍|泼尼松|地塞米松|优甲乐|甲状腺素|地高辛|胺碘酮|甲氨蝶呤|别嘌醇|秋水仙碱|螺内酯|"
        r"西地那非|硝酸甘油|舍曲林|沙丁胺醇|甲巯咪唑|吗啡|可待因|曲马多"
    ),
}

_ALIASES = (
    (re.compile(r"\b(?:wbc|leu[ck]ocytes?|white blood cells?|white (?:blood )?count)\b"), "white cells"),
    (re.compile(r"\b(?:rbc|erythrocytes?|red blood cells?)\b"), "red cells"),
    (re.compile(r"\b(?:hb|hgb)\b"), "haemoglobin"),
    (re.compile(r"\bbp\b"), "blood pressure"),
    (re.compile(r"\btemp\b|\bbody temperature\b"), "temperature"),
    (re.compile(r"\bheart beat\b|\bheartbeat\b|\bpulse(?: rate)?\b"), "heart rate"),
)
_PATIENT = frozenset({"patient", "i", "he", "she", "we", "me", "患者", "病人", "我", "他", "她", "孩子", "宝宝"})
_JOINING = frozenset({"a", "an", "the", "of", "in", "on", "at", "from", "for", "with", "to", "and", "s"})
_OWNED = frozenset({"my", "his", "her", "your", "their", "its", "our"})
_MEASURED = frozenset({"count", "level", "test", "result", "value", "reading"})
_NOT_TOLD_APART = _JOINING | _OWNED | _MEASURED
_CONTRASTS = (
    *(("left", "right"), ("upper", "lower"), ("front", "back"), ("inner", "outer"), ("systolic", "diastolic")),
    *(("red", "white"), ("high", "low"), ("direct", "indirect"), ("free", "total"), ("mother", "father")),
    *(
        ("左", "右"),
        ("上", "下"),
        ("前", "后"),
        ("内", "外"),
        ("收缩", "舒张"),
        ("红", "白"),
        ("高", "低"),
        ("直接", "间接"),
    ),
)
_ALIKE = 0.9


def is_single(relation: str, language: Language) -> bool:
    """Whether its subject has one value of it at a time, so that a newer value replaces an older one.

    `is` and `为` alone do not say: a result has one value, a person may be many things. See `arrange`.
    """
    return _SINGLE[language].search(plain(relation)) is not None


def is_protected(draft: Draft, language: Language) -> bool:
    """Whether forgetting it could harm: allergies, reactions, medicines, pregnancy, anticoagulation.

    That something is not known is not protected: there is nothing in it to lose.
    """
    return draft.certainty > 0 and _harms(f"{draft.triple} {draft.sentence}")


@lru_cache(maxsize=8192)
def _harms(said: str) -> bool:
    return any(pattern.search(plain(said)) for pattern in _PROTECTED.values())


def same_subject(one: str, other: str, language: Language) -> bool:
    """Whether two names mean one thing: the same words in any order, or nearly the same spelling."""
    first, second = _parts(one, language), _parts(other, language)
    if first == second:
        return True
    if contrast(one, other):
        return False
    left, right = "".join(sorted(first)), "".join(sorted(second))
    if language is Language.ZH or re.search(r"\d", left + right) or min(len(left), len(right)) < 6:
        return False
    if len(first) != len(second):
        return False
    return reaches(SequenceMatcher(None, left, right, autojunk=False).ratio(), _ALIKE)


def contrast(one: str, other: str) -> bool:
    """Whether one says left where the other says right, and the like."""
    first, second = _contrasted(plain(one)), _contrasted(plain(other))
    if not first or not second:
        return False
    return any(
        (this in first and that in second and not (that in first and this in second))
        or (that in first and this in second and not (this in first and that in second))
        for this, that in _CONTRASTS
    )


@lru_cache(maxsize=8192)
def _contrasted(level: str) -> frozenset[str]:
    """The words of a text that have an opposite."""
    return frozenset(word for pair in _CONTRASTS for word in pair if says(level, word))


@lru_cache(maxsize=16384)
def says(text: str, word: str) -> bool:
    """Whether a text has a word; a Chinese one may stand within another."""
    return word in text if "\u4e00" <= word[0] <= "\u9fff" else re.search(rf"\b{word}\b", text) is not None


@lru_cache(maxsize=8192)
def _parts(name: str, language: Language) -> frozenset[str]:
    """The words of a name (in Chinese its characters) without those that only join them."""
    level = plain(name).strip(" ,.，。")
    level = re.sub(r"^(?:the|this) ", "", level)
    if level in _PATIENT:
        return frozenset({"patient"})
    if language is Language.ZH:
        bare = re.sub(
            r"^(?:我|他|她|患者|病人)的?|的|里面|里头|里|(?<!血)中(?!性)|之内|(?<=尿)内|(?<=血)内|疼", _zh, level
        )
        return frozenset(re.findall(r"[a-z0-9.+-]+|[\u4e00-\u9fff]", bare)) or frozenset({level})
    for pattern, name_ in _ALIASES:
        level = pattern.sub(name_, level)
    kept = [word for word in words(level, Language.EN) if word not in _NOT_TOLD_APART]
    return frozenset(kept) or frozenset({level})


def _zh(found: re.Match[str]) -> str:
    return "痛" if found[0] == "疼" else ""
