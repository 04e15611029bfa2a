"""A Chinese thought keeps what it is about: its test, its person, its time."""

from __future__ import annotations

import pytest

from tests.memory.exchanges import EXAM_ZH, START_ZH, Exchange, Said, check, remembered

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


@pytest.mark.parametrize("exchange", WHOLE_ZH, ids=lambda exchange: exchange.reply[:40])
async def test_a_chinese_clause_keeps_what_it_is_about(exchange: Exchange) -> None:
    check(await remembered(exchange), exchange)


FRAMED_ZH = [
    # Who read it out and where the paper is are no part of a finding.
    Exchange(
        EXAM_ZH,
        "体温：有点烧呢，刚量的38.6度。血压量了，118/74，还行。脉搏：护士数的是90次。",
        [("体温 显示 有点烧，38.6度", False), ("血压 为 118/74 还行", False), ("脉搏 为 90次", False)],
        [("量", False), ("呢", False), ("护士", False)],
    ),
    Exchange(
        BLOOD_ZH,
        "血常规：单子我带着呢，白细胞12.1，血小板310。D-二聚体0.72，单子上写要低于0.50。",
        [("血常规 显示 白细胞12.1，血小板310", False), ("d-二聚体 为 0.72，要低于0.50", False)],
        [("单子", False)],
    ),
    Exchange(
        EXAM_ZH,
        "膝关节：大夫说里头有水，推着会动，要紧吗？肚子倒是不胀。",
        [("膝关节 显示 里头有水，推着会动", False), ("肚子不胀", True)],
        [("大夫", False), ("要紧", False), ("倒", True)],
    ),
    Exchange(IMAGING_ZH, "腹部超声：B超说脾大，长13厘米。", [("腹部超声 显示 脾大，长13厘米", False)]),
    Exchange(
        "有没有头晕？", "有，站起来就晕。是不是贫血啊？", [("站起来就晕", False)], [("贫血", False), ("问", False)]
    ),
    Exchange(
        "还有哪些症状？", "说来也怪，夜里脚底发麻，别的倒没有。", [("脚底", False)], [("怪", False), ("别的", False)]
    ),
    Exchange(
        BLOOD_ZH,
        "没吸氧查的，pH 7.31。",
        [("没吸氧查的，ph 7.31", False)],
        [("没有 吸氧", True)],
    ),
]
JOINED_ZH = [
    # What hangs on the clause or the sentence before it stays with it.
    Exchange(
        "还有哪些症状？",
        "这半年晕过4回，都是站久了。不过那几回坐一会儿就好了。",
        [("晕过4回，都是站久了，那几回坐一会儿就好了", False)],
    ),
    Exchange(
        "还有哪些症状？",
        "腰痛，弯腰加重，放射至左大腿，平卧减轻。",
        [("腰痛，弯腰加重，放射至左大腿，平卧减轻", False)],
        [("平卧 减轻", False), ("弯腰 加重", False)],
    ),
    Exchange("什么时候开始的？", "左膝。2天前夜里疼醒的。", [("左膝，2天前夜里疼醒", False)]),
    Exchange("有没有发热？", "没有。左踝红肿，发热。", [("左踝红肿，发热", False)], [("有 发热", False)]),
    Exchange("抽烟吗？", "一天15支，30年。没戒。", [("没戒", False)], [("没有 戒", True)]),
    Exchange(
        "有没有药物反应？",
        "以前输了液没多久脸就肿了，喘，人也倒了。",
        [("脸就肿了，喘，人也倒了", False)],
        [("患者 喘", False), ("输了 液", False)],
    ),
    Exchange("以前得过什么病？", "得过肾炎，8年了，近3年没有复查。", [("肾炎，8年了，近3年没有复查", False)]),
    Exchange(
        "做什么工作？",
        "我是一名司机，从不喝酒。",
        [("患者 是 一名司机", False), ("从不", True)],
        [("司机，从不", False)],
    ),
    Exchange("家里人得过什么病？", "我爸60岁突然走的，不知道什么原因。", [("60岁突然走的，不知道什么原因", False)]),
]
NAMED_ZH = [
    # A symptom is what the patient has; half a clause is none.
    Exchange("你有呕吐吗？", "我确实有呕吐，恶心，吐了3次。", [("有 恶心", False)], [("恶心 吐", False)]),
    Exchange("还有哪些症状？", "尿痛，排尿末更明显。", [("患者 有 尿痛", False)], [("尿 痛", False)]),
    Exchange("什么时候开始的？", "从左下腹开始，疼了6小时。", [("从左下腹开始", False)], [("开始于 从左下腹", False)]),
    Exchange("疼不疼？", "疼，就疼这个地方。", [], [("疼 这个地方", False)]),
    Exchange("有没有喘？", "有4天躺不平了。", [("有4天躺不平了", False)], [("患者 有 4天", False)]),
    Exchange(
        "家里人得过什么病？", "他爸有过敏性哮喘。", [("爸 有 过敏性哮喘", False)], [("敏性哮喘", True), ("患者", False)]
    ),
    Exchange(
        "家里人有没有得过中风？",
        "我去年右边胳膊突然没劲，住了院。没开刀。",
        [("开刀", True)],
        [("家里人", True), ("家里人", False)],
    ),
]
SAFE_ZH = [
    # What a relative had, what urine showed and what a hot joint is are not the patient's fever or blood.
    Exchange(
        "家里人得过什么病？",
        "我妈绝经以前也老是半边头疼，还吐。",
        [("妈绝经以前也老是半边头疼，还吐", False)],
        [("患者 吐", False), ("妈 绝经", False)],
    ),
    Exchange(
        BLOOD_ZH,
        "单子上写红细胞40，白细胞6，亚硝酸盐阴性。是今天的事。血常规：白细胞7.5。",
        [("尿检 显示 红细胞40，白细胞6，亚硝酸盐阴性", False), ("血常规", False)],
        [("红细胞 为 40", False), ("白细胞 为 6", False)],
    ),
    Exchange(EXAM_ZH, "敲我后腰，左边有一点疼，右边不疼。", [("左边有一点疼，右边不疼", False)], [("右边不疼", True)]),
    Exchange("对什么药物过敏？", "没有，吃药从来没过敏过。", [("不过敏", True)], [("吃药", True), ("吃药", False)]),
    Exchange("对什么药物过敏？", "我过敏于磺胺。", [("患者 过敏 磺胺", False)]),
    Exchange("还有哪些症状？", "口唇红裂，有2天了。", [("口唇红裂", False)], [("口唇 红", False)]),
    Exchange("还有哪些症状？", "烧到第2天，眼白就都红了。", [("烧到第2天，眼白就都红了", False)]),
    Exchange("有没有头晕？", "不发作就不晕。", [("不发作就不晕", True)], [("不 发作", True)]),
    Exchange(
        "心电图结果怎么样？",
        "写的窦性心律，II、III、aVF压低0.1 mV。",
        [("ii、iii、avf压低0.1 mv", False)],
        [("窦性心律，ii，", False)],
    ),
]
WHOLE_CLAUSE_ZH = [
    Exchange("还有哪些症状？", "右边小腿又肿又疼，3天了。", [("右边小腿又肿又疼，3天了", False)], [("小腿 肿", False)]),
    Exchange(
        "还有哪些症状？", "左下胸部锐痛，深吸气时加重。", [("左下胸部锐痛，深吸气时加重", False)], [("锐 痛", False)]
    ),
    Exchange("还有哪些症状？", "皮疹从颈部开始，蔓延全身。", [("皮疹从颈部开始，蔓延全身", False)]),
    Exchange("平时吃什么药？", "疼了嚼一片铝碳酸镁。", [("疼了嚼一片铝碳酸镁", False)], [("患者 疼了", False)]),
    Exchange("还有哪些症状？", "疼，差不多每晚都疼醒。", [("每晚都疼醒", False)], [("患者 疼 ", False)]),
    Exchange("以前受过伤吗？", "右手腕摔骨折了。", [("右手腕摔骨折了", False)], [("手腕 摔", False)]),
    Exchange("有没有呕吐？", "从疼起来到现在，吐了4次。", [("从疼起来到现在，吐了4次", False)]),
    Exchange("脖子疼不疼？", "医生摸了说甲状腺大，按着不疼。", [("甲状腺大", False)], [("医生", False)]),
    Exchange(
        "有没有喘？", "有5天躺不平了，要垫2个枕头。", [("有5天躺不平了，要垫2个枕头", False)], [("患者 要", False)]
    ),
    Exchange(EXAM_ZH, "血压：监护仪上是168/92，这是不是太高了？", [("血压 为 168/92", False)], [("太高", False)]),
]
REPEATED_ZH = [
    # What was told is not told again in other words.
    (
        [
            Exchange("你有呕吐吗？", "有恶心，呕吐了两次，都是吃的东西。"),
            Exchange("有没有恶心、呕吐？", "最近我确实有恶心和呕吐，都是吃的东西。"),
        ],
        [("恶心", False)],
    ),
    ([Exchange(EXAM_ZH, "体温：有点烧，38.4度。"), Exchange("有没有发烧？", "护士量的是38.4度。")], [("38.4", False)]),
    ([Exchange(LIFE_AT_ONCE_ZH, "没有抽烟喝酒，不吸烟，不饮酒。")], [("烟", True)]),
    (
        [
            Exchange("还有哪些症状？", "心慌一阵一阵的，每天约5次，间歇期无不适。"),
            Exchange("有没有心慌？", "有心悸，心慌一阵一阵的，每天约5次，间歇期无不适。"),
        ],
        [("心慌", False)],
    ),
]
APART_ZH = [
    # What differs in a number, a side, a person, a time or the thing denied is told beside it.
    ([Exchange("吐了吗？", "吐了2次。"), Exchange("现在呢？", "今天吐了5次。")], [("2次", False), ("5次", False)]),
    (
        [Exchange("哪里疼？", "左腿疼，右腿肿。"), Exchange("右腿疼不疼？", "右腿疼。")],
        [("左腿", False), ("右腿 疼", False)],
    ),
    (
        [Exchange("家里人得过什么病？", "我妈有哮喘。"), Exchange("你有哮喘吗？", "我有哮喘。")],
        [("妈 有 哮喘", False), ("患者 有 哮喘", False)],
    ),
    (
        [Exchange("用眼药水吗？", "没有用眼药水。"), Exchange("平时吃药吗？", "我没有吃药。")],
        [("眼药水", True), ("药", True)],
    ),
    (
        [Exchange("有没有发烧？", "以前发过烧，好了。"), Exchange("现在有没有发烧？", "我有发烧。")],
        [("有 发烧", False)],
    ),
    (
        [Exchange("吐了吗？", "吃完饭想吐。"), Exchange("吐出来了吗？", "我吐了。")],
        [("想吐", False), ("吐了", False)],
    ),
]


@pytest.mark.parametrize("exchange", FRAMED_ZH, ids=lambda exchange: exchange.reply[:40])
async def test_a_chinese_finding_is_told_without_its_frame(exchange: Exchange) -> None:
    check(await remembered(exchange), exchange)


@pytest.mark.parametrize("exchange", JOINED_ZH, ids=lambda exchange: exchange.reply[:40])
async def test_what_hangs_on_the_words_before_it_stays_with_them(exchange: Exchange) -> None:
    check(await remembered(exchange), exchange)


@pytest.mark.parametrize("exchange", NAMED_ZH, ids=lambda exchange: exchange.reply[:40])
async def test_a_chinese_thought_names_something(exchange: Exchange) -> None:
    check(await remembered(exchange), exchange)


@pytest.mark.parametrize("exchange", SAFE_ZH, ids=lambda exchange: exchange.reply[:40])
async def test_a_chinese_finding_is_of_its_person_and_its_place(exchange: Exchange) -> None:
    check(await remembered(exchange), exchange)


@pytest.mark.parametrize("exchange", WHOLE_CLAUSE_ZH, ids=lambda exchange: exchange.reply[:40])
async def test_a_chinese_clause_is_not_cut_within_a_word(exchange: Exchange) -> None:
    check(await remembered(exchange), exchange)


async def test_what_lasts_until_now_is_not_dated_by_a_test() -> None:
    said = Exchange("最近心情怎么样？", "心情特别差，10周了。TSH 2.1。是4天前的事。")
    dated = {thought.triple: thought.reported for thought in await remembered(said)}
    assert [when for triple, when in dated.items() if "心情" in triple] == [""], dated
    assert [when for triple, when in dated.items() if "2.1" in triple] == ["4天前"], dated


@pytest.mark.parametrize(("exchanges", "once"), REPEATED_ZH)
async def test_a_chinese_finding_is_kept_once(exchanges: list[Exchange], once: list[Said]) -> None:
    thoughts = await remembered(*exchanges)
    for words, negated in once:
        assert len([one for one in thoughts if words in one.triple and one.negated == negated]) == 1, thoughts


@pytest.mark.parametrize(("exchanges", "kept"), APART_ZH)
async def test_what_differs_is_kept_beside_it(exchanges: list[Exchange], kept: list[Said]) -> None:
    thoughts = await remembered(*exchanges)
    check(thoughts, Exchange("", "", kept))
    assert len(thoughts) >= len(kept), thoughts


async def test_the_highest_value_stays_beside_a_later_one() -> None:
    asked = [Exchange("发烧吗？", "在家体温最高39.4度。"), Exchange(EXAM_ZH, "体温：护士跟我说了，是38.1度。")]
    told = [thought.triple for thought in await remembered(*asked)]
    assert any("39.4" in triple for triple in told) and "体温 为 38.1度" in told, told


async def test_not_knowing_is_about_what_may_have_been_done() -> None:
    (thought,) = await remembered(Exchange("最近有没有吃生冷的东西？", "我也说不好，不记得了。"))
    assert (thought.triple, thought.certainty) == ("患者 不知道 有没有吃生冷的东西", 0.0)
