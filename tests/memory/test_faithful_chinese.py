"""A Chinese thought keeps what it is about: its test, its person, its time."""

from __future__ import annotations

import pytest

from tests.memory.exchanges import EXAM_ZH, START_ZH, Exchange, check, remembered

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
