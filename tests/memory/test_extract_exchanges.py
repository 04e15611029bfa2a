"""Thoughts say what was said: nothing denied is affirmed, nothing unknown is denied, nothing is glued to a question."""

from __future__ import annotations

import pytest

from tests.memory.exchanges import (
    EXAM,
    EXAM_ZH,
    IMAGING,
    LIFE,
    LIFE_ZH,
    OTHERS,
    OTHERS_ZH,
    START,
    START_ZH,
    Exchange,
    check,
    remembered,
)

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
