"""Thoughts say what was said: nothing denied is affirmed, nothing unknown is denied, nothing is glued to a question."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

import pytest
from pydantic import BaseModel

from osler.memory import MemorySettings, Turn, memory_factory
from osler.memory.tim.memory import TimMemory
from osler.memory.tim.thought import Status, Thought
from osler.prompts import Prompt
from osler.records import Language

Said = tuple[str, bool]
"""Words of a thought, and whether it denies them."""
Triple = tuple[str, str, str, bool]


class Exchange(NamedTuple):
    """A turn, what must be kept of it and what may never be said of it."""

    question: str
    reply: str
    kept: Sequence[Said] = ()
    never: Sequence[Said] = ()
    proposed: Sequence[Triple] = ()
    """What a model makes of it."""


def language_of(text: str) -> Language:
    return Language.ZH if any("\u4e00" <= char <= "\u9fff" for char in text) else Language.EN


async def remembered(*exchanges: Exchange, model: bool = False) -> list[Thought]:
    """What a memory holds after these turns; with a model, one that answers with what it proposes."""
    answers = iter(
        json.dumps(
            {
                "thoughts": [
                    dict(zip(("subject", "relation", "object", "negated"), triple, strict=True), when="")
                    for triple in exchange.proposed
                ],
                "forget": [],
                "merge": [],
            }
        )
        for exchange in exchanges
    )

    async def thinker(template: Prompt, text: str, schema: type[BaseModel] | None, most: int) -> str | None:
        return next(answers)

    language = language_of(exchanges[0].question + exchanges[0].reply)
    memory = memory_factory("tim")(MemorySettings(language=language, seed=7, thinker=thinker if model else None))
    assert isinstance(memory, TimMemory)
    for number, exchange in enumerate(exchanges, 1):
        await memory.remember(Turn(number=number, question=exchange.question, reply=exchange.reply))
    return [thought for thought in memory.ledger if thought.status is Status.ACTIVE]


def check(thoughts: list[Thought], exchange: Exchange) -> None:
    told = [(thought.triple.lower(), thought.negated) for thought in thoughts if thought.certainty > 0]
    shown = [thought.triple for thought in thoughts]
    for words, negated in exchange.kept:
        assert any(words in triple and negated == denied for triple, denied in told), (words, negated, shown)
    for words, negated in exchange.never:
        assert not any(words in triple and negated == denied for triple, denied in told), (words, negated, shown)


START = "When did this start, and what makes it better or worse?"
OTHERS = "Do you have any other symptoms besides the knee pain, such as swelling, redness, or a fever?"
LIFE = "Do you smoke or drink alcohol, and what is your work and lifestyle?"
EXAM = "What did the physical examination show?"
IMAGING = "What did the imaging, such as X-ray, ultrasound or CT, show?"
START_ZH = "什么时候开始的，什么情况会加重或减轻？"
OTHERS_ZH = "除了膝盖疼，还有没有别的症状，比如肿胀、发红或发热？"
LIFE_ZH = "抽烟喝酒吗？做什么工作？"
EXAM_ZH = "体格检查有什么发现？"

HEARD = [
    # A denial reaches over its list.
    Exchange(
        IMAGING,
        "No stone, cyst, or widened duct was seen. The liver is normal.",
        [("stone, cyst, or widened duct", True), ("liver is normal", False)],
        [("cyst", False), ("widened duct", False), ("was seen", False), ("such as", False)],
    ),
    Exchange(
        "Do you have pain, itching or discharge?",
        "I do not have pain, itching, or discharge.",
        [("pain, itching, or discharge", True)],
        [("itching", False), ("discharge", False)],
    ),
    Exchange(
        "Which other symptoms came along with it?",
        "On reflection, there is no history of wheeze, sweats, or fainting. My ankles are puffy, but no numbness or rash.",
        [("wheeze, sweats, or fainting", True), ("ankles", False), ("numbness or rash", True)],
        [("sweats", False), ("fainting", False), ("rash", False)],
    ),
    Exchange(
        "Any illness in the past?",
        "I have no long-term illnesses, including kidney stones.",
        [("illnesses", True)],
        [("kidney stones", False)],
    ),
    Exchange(
        "拍片结果怎么样？",
        "未见结石、囊肿或胆管扩张。",
        [("结石、囊肿或胆管扩张", True)],
        [("囊肿", False), ("扩张", False)],
    ),
    Exchange("有没有疼痛、瘙痒或流脓？", "没有疼痛、瘙痒或流脓。", [("疼痛、瘙痒或流脓", True)], [("瘙痒", False)]),
    Exchange("有别的症状吗？", "无胸闷、咯血，无脚肿。", [("胸闷、咯血", True), ("脚肿", True)], [("咯血", False)]),
    Exchange(
        "肺部听诊怎么样？", "呼吸音清，未闻及哮鸣音。", [("呼吸音清", False), ("哮鸣音", True)], [("哮鸣音", False)]
    ),
    # What has not been done has shown nothing, and who does not know denies nothing.
    Exchange(
        "What did the blood tests show?",
        "That hasn't been done, as far as I know.",
        [("blood tests has not been done", True)],
        [("blood tests shows", False), ("blood tests", False)],
    ),
    Exchange("Do you have a cough?", "I don't know about that, I'm afraid.", [], [("cough", True), ("cough", False)]),
    Exchange(
        "抽血化验结果怎么样？",
        "没做过，据我所知。",
        [("抽血化验 没做过", True)],
        [("抽血化验", False), ("据我所知", False)],
    ),
    Exchange("有没有咳嗽？", "这个我不太清楚，抱歉。", [], [("咳嗽", True), ("咳嗽", False), ("抱歉", False)]),
    Exchange("平时吃什么药？", "这个我说不好。", [], [("服用", False), ("服用", True)]),
    # A pronoun means a thing, never a question; what does not fit a question is not its value.
    Exchange(
        START,
        "The pain started last night. It has been steadily growing.",
        [("pain started last night", False), ("pain has been steadily growing", False)],
        [("better or worse", False), ("what makes", False)],
    ),
    Exchange(
        START,
        "It comes when I climb stairs.",
        [("complaint comes when i climb stairs", False)],
        [("better or worse", False)],
    ),
    Exchange(START, "Stiffness of both hands.", [("stiffness of both hands", False)], [("began", False)]),
    Exchange(START, "Three days ago.", [("complaint began three days ago", False)]),
    Exchange(
        "What is the patient's current blood sugar level?",
        "Asthma and hay fever.",
        [("asthma and hay fever", False)],
        [("level is", False)],
    ),
    Exchange(START, "Yes, numbness of the toes.", [("has numbness of the toes", False)], [("has complaint", False)]),
    Exchange(LIFE, "Eldest of four siblings.", [("eldest of four siblings", False)], [("smokes", False)]),
    Exchange(
        "Do you have a cough?",
        "My wife found me on the floor, which frightened her. I cough at night.",
        [("found me on the floor, which frightened her", False), ("cough", False)],
        [("wife shows", False)],
    ),
    Exchange(START_ZH, "一直在加重。", [("症状 一直在加重", False)], [("患者 在", False), ("什么", False)]),
    Exchange(
        START_ZH,
        "疼痛从昨天开始。它一直在加重。",
        [("疼痛 开始于 昨天", False), ("疼痛 一直在加重", False)],
        [("它", False)],
    ),
    Exchange(START_ZH, "两只手发僵。", [("僵", False)], [("开始于", False)]),
    Exchange(LIFE_ZH, "家里的老大。", [("老大", False)], [("抽", False), ("喝", False)]),
    # Several things were asked for.
    Exchange(
        OTHERS,
        "No, no redness. My left hip is stiff. Yes, a rash on the shin.",
        [("redness", True), ("hip is stiff", False), ("rash on the shin", False)],
        [("other symptoms", False), ("other symptoms", True), ("redness", False), ("swelling", False)],
    ),
    Exchange(
        "Which other symptoms came along with it?",
        "Yes, weakness of the left arm. Yes, slurred speech.",
        [("has weakness of the left arm", False), ("has slurred speech", False)],
        [("says yes to", False), ("came along", False)],
    ),
    Exchange(
        LIFE,
        "I live alone. No, no recent journeys.",
        [("recent journeys", True)],
        [("smoke", True), ("smokes", False)],
    ),
    Exchange("Do you have a fever or chills?", "No.", [("fever or chills", True)]),
    Exchange(
        OTHERS_ZH,
        "没有，不红。最近左胯发僵。是的，小腿起疹子。",
        [("红", True), ("僵", False), ("疹子", False)],
        [("别的症状", True), ("别的症状", False), ("除了", False), ("除了", True)],
    ),
    Exchange("还有哪些症状？", "是的，左臂无力。", [("左臂无力", False)], [("哪些", False), ("确认", False)]),
    Exchange(
        "吃抗凝药吗？",
        "就吃氨氯地平。什么抗凝的、抗血小板的，我都不吃。",
        [("服用 氨氯地平", False), ("抗凝的、抗血小板", True)],
        [("抗凝", False)],
    ),
    Exchange(
        "有没有头晕？", "她今天不知道自己在哪儿了。", [("知道自己在哪儿", True)], [("头晕", False), ("头晕", True)]
    ),
    Exchange("在喝酒吗？", "白酒、红酒，都不喝。", [("白酒、红酒", True)], [("酒", False), ("none", True)]),
    Exchange("还有哪些症状？", "没有。", [("别的症状", True)], [("哪些", True)]),
    # A title holds all of its statement.
    Exchange(
        EXAM,
        "Palpation: The lump is soft, and it does not move on swallowing. Skin: No redness or warmth. Pulse: 84 bpm.",
        [
            ("palpation shows the lump is soft, and it does not move on swallowing", False),
            ("skin shows no redness or warmth", True),
            ("pulse is 84 bpm", False),
        ],
        [("shows palpation", False), ("examination does not move", True), ("warmth", False)],
    ),
    Exchange(
        EXAM,
        "Observation: Pale; two scars on the right arm. Reflexes: Brisk, no clonus.",
        [("observation shows pale; two scars on the right arm", False), ("reflexes shows brisk, no clonus", False)],
        [("shows observation", False), ("shows reflexes", False)],
    ),
    Exchange(
        EXAM_ZH,
        "触诊：肿块质软，吞咽时不移动。皮肤：无红肿或发热。脉搏：84次/分。",
        [("触诊 显示 肿块质软，吞咽时不移动", False), ("皮肤 没有 红肿或发热", True), ("脉搏 为 84次/分", False)],
        [("说 触诊", False), ("发热", False)],
    ),
    Exchange(
        "化验结果怎么样？",
        "尿酸：升高。血糖：正常。",
        [("尿酸 为 升高", False), ("血糖 为 正常", False)],
        [("化验", False)],
    ),
    # A pronoun of the other sex is not the relative just named.
    Exchange(
        "Has the baby been feeding?",
        "His mother reports good sleep. He has been fussy since Monday.",
        [("patient has been fussy", False)],
        [("mother has been fussy", False)],
    ),
]


@pytest.mark.parametrize("exchange", HEARD, ids=lambda exchange: exchange.reply[:40])
async def test_the_rules_keep_what_was_said(exchange: Exchange) -> None:
    check(await remembered(exchange), exchange)


PROPOSED = [
    Exchange(
        IMAGING,
        "No stone, cyst, or widened duct was seen.",
        [("stone, cyst, or widened duct", True)],
        [("cyst", False), ("duct", False)],
        [("imaging", "shows", "cyst", False), ("patient", "has", "widened duct", False)],
    ),
    Exchange(
        "Do you have a cough?",
        "I can't tell you anything about that.",
        [],
        [("cough", True), ("cough", False), ("anything", False), ("anything", True)],
        [("patient", "does not have", "cough", True), ("I can't tell you anything about that", "is", "cough", False)],
    ),
    Exchange(
        "What did the blood tests show?",
        "That hasn't been done.",
        [("blood tests has not been done", True)],
        [("blood tests", False)],
        [("blood tests", "showed", "that hasn't been done", False), ("patient", "has", "blood tests", False)],
    ),
    Exchange(
        "What makes the headache worse?",
        "The headache is worse in the morning. I sleep badly.",
        [("headache is worse in the morning", False), ("sleep", False)],
        [("cause", False), ("headache has", False)],
        [("bad sleep", "is a cause of", "headache", False), ("headache", "has", "sleep", False)],
    ),
    Exchange(
        "Do you have fever or chills?",
        "No fever, no chills. Urea: Elevated.",
        [("fever", True), ("chills", True), ("urea is elevated", False)],
        [("have no", True), ("elevated urea", False), ("fever", False)],
        [("fever", "does not have", "no", True), ("patient", "elevated", "Urea", False)],
    ),
    Exchange(
        "Any illness in the family?",
        "My mother has gout.",
        [("mother has gout", False)],
        [("patient has gout", False)],
        [("patient", "has", "gout", False)],
    ),
    Exchange(
        "Which illnesses have you had?",
        "I have had an underactive thyroid gland, which is treated with tablets.",
        [("underactive thyroid gland, which is treated with tablets", False)],
        [("been had", False)],
        [("thyroid gland", "has been had", "underactive", False), ("patient", "has", "thyroid gland", False)],
    ),
    Exchange(
        "Do you have a fever or a cough?",
        "I have a fever and a cough.",
        [("patient has fever", False), ("patient has cough", False)],
        [("fever and a cough", False)],
        [("patient", "has", "fever", False), ("patient", "has", "cough", False)],
    ),
    Exchange(
        "Which medicines do you take?",
        "I take metformin and aspirin every morning. I do not take insulin.",
        [("metformin", False), ("aspirin", False), ("insulin", True)],
        [("metformin and aspirin", False), ("insulin", False)],
        [
            ("patient", "takes", "metformin every morning", False),
            ("patient", "takes", "aspirin every morning", False),
            ("patient", "does not take", "insulin", True),
        ],
    ),
    Exchange(
        "Do you have any night sweats?",
        "No.",
        [("does not have night sweats", True)],
        [("patient has night sweats", True), ("night sweats", False)],
        [("patient", "has", "night sweats", True)],
    ),
    Exchange(
        LIFE,
        "I repair clocks.",
        [("clocks", False)],
        [("alcohol", False), ("alcohol", True), ("smoke", True)],
        [("patient", "drinks", "alcohol no", False), ("patient", "does not", "smoke", True)],
    ),
    Exchange(
        EXAM,
        "Cranial nerves: A drooping left eyelid. Tone: Normal.",
        [("cranial nerves shows a drooping left eyelid", False), ("tone is normal", False)],
        [("patient a drooping", False), ("normal normal", False)],
        [("patient", "A drooping left eyelid", "Cranial nerves", False), ("Tone", "normal", "normal", False)],
    ),
    Exchange(
        "拍片结果怎么样？",
        "未见结石、囊肿或胆管扩张。",
        [("结石、囊肿或胆管扩张", True)],
        [("囊肿", False), ("扩张", False)],
        [("拍片", "显示", "囊肿", False), ("患者", "有", "胆管扩张", False)],
    ),
    Exchange(
        "有没有咳嗽？",
        "不太清楚。",
        [],
        [("咳嗽", True), ("咳嗽", False)],
        [("患者", "没有", "咳嗽", True)],
    ),
    Exchange(
        "抽血化验结果怎么样？",
        "没做过。",
        [("抽血化验 没做过", True)],
        [("抽血化验", False)],
        [("抽血化验", "显示", "没做过", False), ("患者", "有", "抽血化验", False)],
    ),
    Exchange(
        "头疼什么时候更厉害？",
        "早上头疼厉害。我睡得不好。",
        [("头疼", False)],
        [("原因", False), ("引起", False)],
        [("睡得不好", "是原因", "头疼", False), ("睡得不好", "引起", "头疼", False)],
    ),
    Exchange(
        "家里人身体怎么样？",
        "我妈有痛风。",
        [("妈 有 痛风", False)],
        [("患者 有 痛风", False)],
        [("患者", "有", "痛风", False)],
    ),
    Exchange(
        "哪里不舒服？",
        "我发烧，还咳嗽。",
        [("患者 有 发烧", False), ("患者 有 咳嗽", False)],
        [("说", False)],
        [("患者", "有", "发烧", False), ("患者", "有", "咳嗽", False)],
    ),
    Exchange(
        "有没有盗汗？",
        "没有。",
        [("没有 盗汗", True)],
        [("患者 有 盗汗", True), ("盗汗", False)],
        [("患者", "有", "盗汗", True)],
    ),
    Exchange(
        EXAM_ZH,
        "触诊：肿块质软，吞咽时不移动。",
        [("触诊 显示 肿块质软，吞咽时不移动", False)],
        [("体格检查 不", True), ("患者 移动", False)],
        [("体格检查", "不移动", "吞咽时", True), ("患者", "有", "移动", False)],
    ),
    Exchange(
        "有没有发烧和咳嗽？",
        "有发烧，没有咳嗽。",
        [("发烧", False), ("咳嗽", True)],
        [("咳嗽", False), ("发烧", True)],
        [("患者", "有", "咳嗽", False), ("患者", "没有", "发烧", True)],
    ),
]


@pytest.mark.parametrize("exchange", PROPOSED, ids=lambda exchange: exchange.reply[:40])
async def test_a_model_cannot_say_what_was_not_said(exchange: Exchange) -> None:
    check(await remembered(exchange, model=True), exchange)


@pytest.mark.parametrize(
    "turns",
    [
        [
            Exchange("Does your back hurt?", "I have pain in the lower back."),
            Exchange("Where is it?", "I have pain in my lower back."),
            Exchange("And now?", "Pain in the lower back."),
        ],
        [
            Exchange("背疼吗？", "我有腰部酸痛。"),
            Exchange("还有呢？", "我还有腰部酸痛。"),
        ],
    ],
)
async def test_what_is_said_again_is_one_thought_with_all_its_turns(turns: list[Exchange]) -> None:
    thoughts = await remembered(*turns)
    about = [thought for thought in thoughts if "lower back" in thought.triple or "腰部" in thought.triple]
    assert len(about) == 1, [thought.triple for thought in thoughts]
    assert about[0].turns == tuple(range(1, len(turns) + 1))


@pytest.mark.parametrize(
    ("brief", "full"),
    [
        (
            Exchange("What is wrong?", "Ringing in the left ear."),
            Exchange("Since when?", "I have a two-week history of ringing in the left ear after a concert."),
        ),
        (Exchange("怎么了？", "有耳鸣。"), Exchange("还有呢？", "有左侧耳鸣，听音乐会以后。")),
    ],
)
async def test_the_fuller_of_two_stays_whichever_came_first(brief: Exchange, full: Exchange) -> None:
    for turns in ((brief, full), (full, brief)):
        thoughts = await remembered(*turns)
        about = [
            thought.triple for thought in thoughts if "ringing" in thought.triple.lower() or "耳鸣" in thought.triple
        ]
        assert len(about) == 1 and ("concert" in about[0] or "左侧" in about[0]), about


async def test_a_part_of_a_denial_is_not_said_again_by_its_opposite() -> None:
    turns = [
        Exchange("Any rash?", "I have a rash without blisters."),
        Exchange("Any blisters?", "I have blisters."),
    ]
    assert any(thought.triple == "patient has blisters" for thought in await remembered(*turns))


IMAGING_ZH = "做过什么影像检查，结果怎么样？"
BLOOD_ZH = "抽血化验结果怎么样？"
LIFE_AT_ONCE_ZH = "抽烟喝酒吗，做什么工作，平时生活习惯怎么样？"
WHOLE_ZH = [
    # What an examination showed stays together, under the name of its test.
    Exchange(
        IMAGING_ZH,
        "CT说左肾有个肿块，直径4厘米，边上不整齐，里头有坏死。是三天前的事。",
        [("ct 显示 左肾有个肿块，直径4厘米，边上不整齐，里头有坏死", False)],
        [("患者 ", False), ("什么", False)],
    ),
    Exchange(
        IMAGING_ZH,
        "心电图写窦性心律。是昨天的事。肝区整个亮了，说是脂肪多。是前天的事。",
        [("心电图 显示 窦性心律", False), ("影像检查 显示 肝区", False)],
        [("心电图 显示 肝", False)],
    ),
    Exchange(
        IMAGING_ZH,
        "我做了颈部超声，结果是颈动脉里有斑块，表面毛糙，不能移动。",
        [("颈部超声 显示 颈动脉里有斑块，表面毛糙，不能移动", False)],
        [("患者 不", True)],
    ),
    Exchange(
        EXAM_ZH,
        "右眼瞳孔4毫米，圆的，反应快；左眼2毫米，反应慢。",
        [("右眼瞳孔4毫米，圆的，反应快，左眼2毫米", False)],
        [("左眼 为", False), ("患者", False)],
    ),
    Exchange(BLOOD_ZH, "尿里有蛋白，白细胞30，红细胞2。", [("尿里有蛋白，白细胞30", False)], [("白细胞 为 30", False)]),
    Exchange(BLOOD_ZH, "HLA-B51阳性。总胆红素40。", [("hla-b51 为 阳性", False), ("总胆红素 为 40", False)]),
    Exchange(
        "拍过胸片吗？结果怎么样？", "没有，她还没拍过。", [("胸片", True)], [("胸片 显示", False), ("胸片 显示", True)]
    ),
    # A relative's illness is the relative's.
    Exchange(
        "家里人得过什么病？",
        "姑妈得过甲亢，手还抖。",
        [("姑妈 得过 甲亢，手还抖", False)],
        [("患者", False)],
    ),
    Exchange("家里人得过什么病？", "没有。", [("家里人 没得过", True)], [("患者", True)]),
    # What nobody answered is neither denied nor affirmed.
    Exchange(
        "有没有发烧、胸闷、气短这些症状？",
        "没有，没发过烧。上两层楼就喘。",
        [("发过烧", True), ("上两层楼就喘", False)],
        [("胸闷", True), ("气短", True)],
    ),
    Exchange("有没有发烧、胸闷？", "没有，胸口不闷。", [("发烧、胸闷", True)]),
    Exchange(START_ZH, "有。夜里疼得更重。", [("夜里疼得更重", False)], [("有 症状", False)]),
    Exchange(START_ZH, "这两天尿得特别勤。", [("尿得特别勤", False)], [("开始于", False)]),
    Exchange(LIFE_AT_ONCE_ZH, "没有。", [("抽烟喝酒", True)], [("什么工作", True), ("习惯", True)]),
    Exchange(LIFE_AT_ONCE_ZH, "我开出租车。", [("患者", False)], [("习惯", False), ("抽烟", False)]),
    # Allergies and what was taken.
    Exchange(
        "对什么药物过敏？",
        "她最近在吃药，但没有过敏。",
        [("没有 过敏", True)],
        [("患者 过敏", False)],
    ),
    Exchange(
        "对什么药物过敏？",
        "输过一次头孢，没几分钟脖子就肿了，喘不上来。",
        [("没几分钟脖子就肿了，喘不上来", False)],
        [("几分钟", True), ("脖子", True)],
    ),
    Exchange("对什么药物过敏？", "我们最近发现他对磺胺过敏。", [("过敏 磺胺", False)]),
    Exchange(
        "平时长期吃什么药？",
        "我平时吃利伐沙班，每天20毫克，已经吃了两年。",
        [("服用 利伐沙班，每天20毫克，已经吃了两年", False)],
        [("服用 每天", False)],
    ),
    Exchange("平时长期吃什么药？", "现在还用吃降压药吗？", [], [("服用", False)]),
    # Half a clause is no thought.
    Exchange("有没有头晕？", "我确实有头晕，不算重。", [("患者 有 头晕，不算重", False)], [("确实 有", False)]),
    Exchange("怎么了？", "他吐了4天，没有血。", [("吐了 4天，没有血", False)], [("患者 没有 血", True)]),
    Exchange(
        "以前得过什么病？",
        "得过肺结核，5年了，没住院。",
        [("得过 肺结核，5年了，没住院", False)],
        [("得过 持续", False)],
    ),
    Exchange("有没有发作？", "发作性心慌3天，每天2回。", [("发作性心慌3天", False)], [("发作 性", False)]),
    Exchange("有没有害怕？", "我就怕她跟我妈一样。", [("怕她跟我妈一样", False)], [("患者 怕", False)]),
]
MISWORDED_ZH = [
    Exchange(
        "家里人得过什么病？",
        "姨妈得过甲减，家族中没有糖尿病。",
        [("姨妈 得过 甲减", False), ("糖尿病", True)],
        [("患者", False), ("患者", True)],
        [("患者", "得过甲减", "姨妈", False), ("患者", "得过", "甲减", False)],
    ),
    Exchange(
        "累不累？",
        "老是没劲，睡一觉也不缓解。",
        [("不缓解", True)],
        [("睡一觉 缓解", False), ("缓解 没劲", False)],
        [("睡一觉", "缓解", "没劲", False)],
    ),
    Exchange(
        "有没有拉肚子？",
        "没有拉肚子。",
        [("没有 拉肚子", True)],
        [("没有 没有", True)],
        [("患者", "没有", "没有拉肚子", True)],
    ),
    Exchange(
        BLOOD_ZH,
        "肾功能写的肌酐90，尿素6.1。是昨天的事。",
        [("肌酐 为 90", False), ("尿素 为 6.1", False)],
        [("肾功能 写", False), ("患者", False)],
        [("肾功能", "写", "肌酐90，尿素6.1", False), ("患者", "有", "肌酐90", False)],
    ),
    Exchange(
        "怎么不舒服？",
        "腰疼3年了，早上要僵一会儿。",
        [("腰疼 持续 3年", False)],
        [("患者 腰疼", False), ("患者 开始", False)],
        [("患者", "腰疼3年了", "早上要僵一会儿", False), ("患者", "开始", "早上要僵一会儿", False)],
    ),
]


@pytest.mark.parametrize("exchange", WHOLE_ZH, ids=lambda exchange: exchange.reply[:40])
async def test_a_chinese_clause_keeps_what_it_is_about(exchange: Exchange) -> None:
    check(await remembered(exchange), exchange)


@pytest.mark.parametrize("exchange", MISWORDED_ZH, ids=lambda exchange: exchange.reply[:40])
async def test_a_model_cannot_tear_a_chinese_sentence(exchange: Exchange) -> None:
    check(await remembered(exchange, model=True), exchange)


async def test_a_result_that_a_model_words_keeps_its_time() -> None:
    said = Exchange(
        BLOOD_ZH, "血钾2.9。是昨天的事。", proposed=[("血钾", "是", "2.9", False)], kept=[("血钾 为 2.9", False)]
    )
    thoughts = await remembered(said, model=True)
    assert [(thought.triple, thought.reported) for thought in thoughts] == [("血钾 为 2.9", "昨天")]


TESTS = "What did the blood tests or other laboratory tests show?"

WHOLE = [
    # A finding keeps what it is of: the sentence stays whole where its clauses would be torn from it.
    Exchange(
        EXAM,
        "When they tap on my left heel and I tighten up, it makes me jump, I just have to pull away.",
        [("when they tap on my left heel and i tighten up, it makes me jump, i just have to pull away", False)],
        [("examination makes", False), ("patient tightens", False), ("patient just", False)],
    ),
    Exchange(
        EXAM,
        "My calf isn't firm, though. It doesn't ache when they squeeze it.",
        [("calf is not firm", True), ("it doesn't ache when they squeeze it", False)],
        [("shows though", False), ("examination does not ache", True)],
    ),
    Exchange(
        EXAM,
        "I'm 171 centimetres and, well, 82 kilos, so they made it 28.0.",
        [("171 centimetres and, well, 82 kilos, so they made it 28.0", False)],
        [("i'm is", False), ("staff made", False), ("shows 82 kilos", False)],
    ),
    Exchange(
        EXAM,
        "They said the left pupil is 4 mm, round and doesn't move. The right is 2 mm and moves.",
        [("left pupil is 4 mm, round and doesn't move; the right is 2 mm and moves", False)],
        [("right is 2 mm", True), ("examination is", False)],
    ),
    Exchange(
        EXAM,
        "The doctor who examined her said there were coarse rattles on the left.",
        [("coarse rattles on the left", False)],
        [("who examined", True), ("rattles on the left the doctor", False)],
    ),
    Exchange(
        "Does he have any other symptoms?",
        "He sleeps a lot, but I can rouse him.",
        [("sleeps a lot", False), ("i can rouse him", False)],
        [("patient can rouse", False)],
    ),
    # A result stays with the name of its test, its side and its range.
    Exchange(
        TESTS,
        "Ferritin 9. Should be above 30. Stool test negative. Vitamin D was 31, and it should be over 50.",
        [("ferritin is 9", False), ("should be above 30", False), ("stool test is negative", False)],
        [("patient should", False), ("stool is", False), ("tests should", False), ("tests shows below", False)],
    ),
    Exchange(
        TESTS,
        "The thyroid part was normal, TSH 1.4 and free T4 13.9. That was in May. They swabbed my throat and it came "
        "back negative. In my urine there was no sugar, white cells 3.",
        [
            ("the thyroid part was normal, tsh 1.4 and free t4 13.9", False),
            ("they swabbed my throat and it came back negative", False),
            ("in my urine there was no sugar, white cells 3", False),
        ],
        [("thyroid part is normal", False), ("tests came back", False)],
    ),
    Exchange(
        TESTS,
        "Sodium: Normal. Potassium: Normal. Liver Function Tests: Normal. aPTT: 29 seconds.",
        [
            ("sodium is normal", False),
            ("potassium is normal", False),
            ("liver function tests is normal", False),
            ("aptt is 29 seconds", False),
        ],
    ),
    Exchange(
        EXAM,
        "Blood pressure: Right arm 150 over 90. Left 148 over 88. Sigmoidoscopy: They looked inside. Even and pink, "
        "no polyps.",
        [
            ("blood pressure shows right arm 150 over 90; left 148 over 88", False),
            ("sigmoidoscopy shows they looked inside; even and pink, no polyps", False),
        ],
        [("left is 148", False)],
    ),
    Exchange(
        IMAGING,
        "The CT showed a cyst on the kidney. That was in June. She had an ultrasound, they said the ducts were narrow.",
        [("ct shows a cyst on the kidney", False), ("she had an ultrasound, they said the ducts were narrow", False)],
        [("ct shows she had", False), ("patient had an ultrasound", False)],
    ),
    Exchange(
        IMAGING,
        "I saw a shadow behind the heart. I also saw thick vessel walls.",
        [("imaging shows a shadow behind the heart", False), ("imaging shows thick vessel walls", False)],
        [("patient saw", False), ("also shows", False)],
    ),
    Exchange(
        IMAGING,
        "I know that the bone scan showed three bright spots.",
        [("bone scan shows three bright spots", False)],
        [("patient knows", False)],
    ),
    Exchange(
        "Do you have a fever or a cough?",
        "Temperature: It was 37.9 when I took it.",
        [("temperature shows it was 37.9 when i took it", False)],
        [("complaint is 37.9", False), ("says temperature", False)],
    ),
    # What goes on with a clause stays with it.
    Exchange(
        "Do you have any pain or bleeding?",
        "There is a stain in my underwear every single morning when I get up, it looks brown.",
        [("every single morning when i get up, it looks brown", False)],
        [("get up looks", False)],
    ),
    Exchange(
        START,
        "My fingers are stiff when I wake, but give it half an hour and it has gone.",
        [("fingers are stiff when i wake", False), ("and it has gone", False)],
        [("fingers has gone", False)],
    ),
    Exchange(
        OTHERS,
        "The scalp tingles and is fairly sore, more so when I comb it.",
        [("more so when i comb it", False)],
        [("patient combs", False), ("sore the scalp", False)],
    ),
    Exchange(
        "Have you recently started taking any new medicines?",
        "Suck a lozenge when it tickles. No sleeping tablets.",
        [("suck a lozenge when it tickles", False), ("does not take sleeping tablets", True)],
        [("medicines tickles", False), ("does not have sleeping tablets", True)],
    ),
    Exchange(LIFE, "15 a day, 25 years.", [("15 a day, 25 years", False)], [("patient is 15", False)]),
    Exchange(
        OTHERS,
        "Yes. Shoots down to the ankle within minutes.",
        [("shoots down to the ankle", False)],
        [("patient shoots", False)],
    ),
    # A no denies what it is said of.
    Exchange(
        "Does she have any pain, vomiting, or diarrhea?",
        "She has thrown up 4 times. There was no bile in it. No, she hasn't had any diarrhea.",
        [("thrown up 4 times, there was no bile in it", False), ("diarrhea", True)],
        [("pain", True), ("vomiting", True), ("have bile in it", True)],
    ),
    Exchange(
        LIFE,
        "No, I've never kept birds.",
        [("kept birds", True)],
        [("smoke", True), ("drink", True)],
    ),
    Exchange(
        EXAM,
        "No, when they bend his knee he can hold it without wincing.",
        [("without wincing", False)],
        [("does not have physical examination", True), ("physical examination", True)],
    ),
    Exchange(
        "Which illnesses has he had in the past?",
        "No, he has never had eczema.",
        [("eczema", True)],
        [("illnesses in the past", True)],
    ),
    # An allergy is denied once, and what the patient asks back is no fact.
    Exchange(
        "Are you allergic to any medicine?",
        "No, I do not have a known drug allergy. Would that be a problem?",
        [("allerg", True)],
        [("would that be", False), ("is not allergic to medicine", True)],
    ),
    # Whoever is named beside the patient is not the patient.
    Exchange(
        "Which other symptoms did she have?",
        "No rash was noted by the aunt. She is a small girl with a weak cry.",
        [("patient is a small girl", False)],
        [("aunt is", False)],
    ),
    Exchange(
        "Which other symptoms came along with it?",
        "His uncle has eczema. He was born at 35 weeks and sleeps well.",
        [("uncle has eczema", False), ("patient was born at 35 weeks", False)],
        [("uncle was born", False), ("patient is born", False)],
    ),
    Exchange(
        "Which illnesses run in her family?",
        "Her aunt has migraine. She also has asthma.",
        [("aunt has migraine", False), ("aunt also has asthma", False)],
        [("patient also has", False), ("patient has", False)],
    ),
    Exchange(
        "Which other symptoms came along with it?",
        "The rest of the check shows no changes. Peeling of the fingertips.",
        [("peeling of the fingertips", False)],
        [("check shows peeling", False)],
    ),
    Exchange(
        "How has she been feeling?",
        "She says she's useless and only in the way.",
        [("says she is useless and only in the way", False)],
        [("patient is useless", False)],
    ),
    # What was is not what is, and what has no verb of knowing is known.
    Exchange(
        "Which other symptoms did he have?",
        "He was delirious for about 3 hours at night.",
        [("patient was delirious for about 3 hours", False)],
        [("patient is delirious", False)],
    ),
    Exchange(
        EXAM,
        "With the right eye I can't tell blue from violet well.",
        [("can not tell blue from violet", True)],
        [("does not know", False)],
    ),
    Exchange(
        "Are you allergic to any medicine?",
        "No, no allergy to medicines or plasters.",
        [("allergy to medicines or plasters", True)],
        [("take allergy", True)],
    ),
    Exchange(
        START,
        "Yes, 2 times last week there were clots in the urine. I get small spasms at night, and they fade by noon.",
        [("clots in the urine, 2 times last week", False), ("small spasms at night, and they fade by noon", False)],
        [("began 2 times", False), ("complaint fade", False)],
    ),
]


@pytest.mark.parametrize("exchange", WHOLE, ids=lambda exchange: exchange.reply[:40])
async def test_an_english_thought_stands_without_its_sentence(exchange: Exchange) -> None:
    check(await remembered(exchange), exchange)


GARBLED = [
    Exchange(
        START,
        "The itch started 9 days ago.",
        [("itch started 9 days ago", False)],
        [("patient started", False)],
        [("patient", "started", "The itch started 9 days ago", False)],
    ),
    Exchange(
        "Which illnesses have you had?",
        "I have had gout for 12 years. I had a hip replacement 3 years ago.",
        [("patient has had gout for 12 years", False), ("patient had a hip replacement 3 years ago", False)],
        [("gout has", False), ("replacement had", False)],
        [("gout", "has", "12 years", False), ("hip replacement", "had", "3 years ago", False)],
    ),
    Exchange(
        TESTS,
        "The red cells were normal, with 4.4, and the reticulocytes were 1%.",
        [("1%", False)],
        [("normal reticulocytes", False)],
        [("patient", "has", "normal reticulocytes", False)],
    ),
    Exchange(
        EXAM,
        "They said it's pale in a ring round the left nipple.",
        [("pale in a ring round the left nipple", False)],
        [("showed showed", False)],
        [("physical examination", "showed", "showed pale in a ring", False)],
    ),
    Exchange(
        "What medicine does he take?",
        "He is taking Lisinopril 10 mg and metoprolol 25 mg.",
        [("lisinopril 10 mg", False), ("metoprolol 25 mg", False)],
        [("lisinopril is taking", False)],
        [("Lisinopril", "is taking", "10 mg", False)],
    ),
    Exchange(
        START,
        "Tiredness, loin pain.",
        [("tiredness", False), ("loin pain", False)],
        [("started tiredness", False)],
        [("patient", "started", "Tiredness", False), ("patient", "started", "loin pain", False)],
    ),
]


@pytest.mark.parametrize("exchange", GARBLED, ids=lambda exchange: exchange.reply[:40])
async def test_a_model_s_torn_english_triple_is_not_taken(exchange: Exchange) -> None:
    check(await remembered(exchange, model=True), exchange)


async def test_words_that_only_repeat_the_question_take_no_fact_away() -> None:
    kept = [
        thought.triple
        for thought in await remembered(
            Exchange("Do you have nausea or dizziness?", "Yes, I have dizziness."),
            Exchange(
                "Do you have any other symptoms besides dizziness?",
                "Yes, I have other symptoms besides dizziness. I also have ringing in the left ear.",
            ),
        )
    ]
    assert kept == ["patient has dizziness", "patient also has ringing in the left ear"]


async def test_the_value_of_one_thing_does_not_say_again_that_of_another() -> None:
    kept = [
        thought.triple
        for thought in await remembered(
            Exchange(EXAM, "Breathing Rate: Normal."), Exchange(TESTS, "Calcium: Normal. Magnesium: Normal.")
        )
    ]
    assert kept == ["breathing rate is normal", "calcium is normal", "magnesium is normal"]


async def test_an_illness_that_the_patient_has_is_not_said_again_in_the_past() -> None:
    kept = [
        thought.triple
        for thought in await remembered(
            Exchange("Which illnesses do you have?", "I have coeliac disease."),
            Exchange("Which illnesses have you had?", "I had coeliac disease."),
        )
    ]
    assert kept == ["patient has coeliac disease"]


async def test_the_same_words_are_said_again_whatever_the_question_calls_their_subject() -> None:
    ache = "It's a dull ache behind the knee, for 5 days now."
    thoughts = await remembered(
        Exchange("Did a sharp pain begin in your leg?", ache), Exchange("Has this been going on for a month?", ache)
    )
    assert [thought.turns for thought in thoughts] == [(1, 2)]


async def test_a_test_that_nobody_made_shows_nothing() -> None:
    asked = "Have you had an ultrasound of the neck, and what did it show?"
    kept = [thought.triple for thought in await remembered(Exchange(asked, "No, nobody has looked at my neck."))]
    assert "patient has not had ultrasound of the neck" in kept and not any(" shows " in triple for triple in kept)
