"""What the rules do with new thoughts and old ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.language import Language
from osler.language.words import numbers
from osler.memory.base import Turn
from osler.memory.tim.arrange import Again, Forget, Insert, Merge, Supersede, arrange
from osler.memory.tim.extract import think
from osler.memory.tim.relations import is_protected, is_single, same_subject
from osler.memory.tim.thought import Draft, Status, Thought

EN, ZH = Language.EN, Language.ZH


def language_of(text: str) -> Language:
    return ZH if any("\u4e00" <= char <= "\u9fff" for char in text) else EN


def fact(
    subject: str, relation: str, object_: str, sentence: str = "", negated: bool = False, reported: str = ""
) -> Draft:
    return Draft(
        subject=subject,
        relation=relation,
        object=object_,
        sentence=sentence or f"{object_}.",
        negated=negated,
        reported=reported,
    )


def unknown(topic: str) -> Draft:
    relation = "不知道" if language_of(topic) is ZH else "does not know"
    return Draft(subject="patient", relation=relation, object=topic, certainty=0.0)


class Space:
    """Thoughts as a memory keeps them: carries out what the rules say."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.thoughts: dict[int, Thought] = {}
        self.forgotten: list[Thought] = []

    def take(self, new: list[Draft], turn: int) -> None:
        actions = arrange(new, list(self.thoughts.values()), turn, self.language)
        inserts = [action.draft for action in actions if isinstance(action, Insert)]
        for action in actions:
            match action:
                case Insert(draft):
                    self._add(draft, turn)
                case Merge(ids, draft, _):
                    self._add(draft, turn, ids)
                    self._end(ids, Status.MERGED)
                case Supersede(old_id, index, why):
                    assert (
                        same_subject(inserts[index].subject, self.thoughts[old_id].subject, self.language)
                        or why == "corrected"
                    )
                    self._end((old_id,), Status.SUPERSEDED)
                case Forget(id_, _):
                    self.forgotten.append(self.thoughts[id_])
                    self._end((id_,), Status.FORGOTTEN)

    def active(self) -> list[str]:
        return [thought.triple for thought in self.thoughts.values() if thought.status is Status.ACTIVE]

    def hear(self, question: str, reply: str, turn: int) -> None:
        self.take(think(Turn(number=turn, question=question, reply=reply), self.language), turn)

    def _add(self, draft: Draft, turn: int, parts: tuple[int, ...] = ()) -> None:
        place = len(self.thoughts)
        self.thoughts[place] = Thought(**draft.model_dump(), id=place, turn=turn, parts=parts)

    def _end(self, ids: tuple[int, ...], status: Status) -> None:
        for id_ in ids:
            assert self.thoughts[id_].status is Status.ACTIVE
            self.thoughts[id_] = self.thoughts[id_].model_copy(update={"status": status})


def after(*drafts: Draft) -> list[str]:
    """What is active after these, ten turns apart."""
    space = Space(language_of("".join(draft.triple for draft in drafts)))
    for place, draft in enumerate(drafts):
        space.take([draft], 10 * place + 1)
    return space.active()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (fact("patient", "is aged", "61"), fact("patient", "is aged", "62")),
        (fact("pain", "is located", "left hip"), fact("pain", "is located", "groin")),
        (fact("cough", "lasts", "two weeks"), fact("cough", "lasts", "three weeks")),
        (fact("temperature", "is", "38.1"), fact("temperature", "is", "39.0")),
        (fact("white cells in the urine", "is", "12"), fact("urine white cells", "is", "48")),
        (
            fact("pain", "began", "2 days ago", reported="2 days ago"),
            fact("pain", "began", "3 days ago", reported="3 days ago"),
        ),
        (fact("warfarin", "has dose", "3 mg"), fact("warfarin", "has dose", "5 mg")),
        (fact("patient", "has", "fever"), fact("patient", "does not have", "a fever", negated=True)),
        (fact("left eye", "is not", "red", negated=True), fact("left eye", "is", "red")),
        (
            fact("left knee", "is", "swollen"),
            fact("right knee", "is", "swollen", "Actually the right knee is swollen."),
        ),
        (fact("pain", "is", "left knee"), fact("pain", "is", "the right knee", "No, the right knee.")),
        (
            fact("patient", "is allergic to", "codeine"),
            fact("patient", "is not allergic to", "codeine", "I was wrong.", negated=True),
        ),
        (fact("患者", "年龄为", "61岁"), fact("患者", "年龄为", "62岁")),
        (fact("疼痛", "位于", "左胯"), fact("疼痛", "位于", "腹股沟")),
        (fact("尿里的白细胞", "为", "12"), fact("尿白细胞", "为", "48")),
        (fact("患者", "有", "发烧"), fact("患者", "没有", "发烧", negated=True)),
        (fact("左膝", "是", "肿的"), fact("右膝", "是", "肿的", "说错了，右膝是肿的。")),
        (fact("症状", "是", "左膝"), fact("症状", "是", "右膝", "不是，是右膝。")),
        (fact("temperature", "is", "38.5 °C"), fact("temperature", "is", "about 37 °C")),
        (fact("体温", "是", "38.5度"), fact("体温", "是", "大约37度")),
        (
            fact("patient", "takes", "ramipril 5 mg in the morning"),
            fact("patient", "takes", "ramipril 10 mg in the morning", "Sorry, I meant ramipril 10 mg in the morning."),
        ),
        (
            fact("患者", "服用", "雷米普利5毫克"),
            fact("患者", "服用", "雷米普利10毫克", "记错了，是雷米普利10毫克。"),
        ),
    ],
)
def test_the_newer_wins(old: Draft, new: Draft) -> None:
    assert after(old, new) == [new.triple]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (fact("patient", "has", "fever"), fact("patient", "has", "cough at night")),
        (fact("patient", "takes", "aspirin"), fact("patient", "takes", "ramipril")),
        (fact("patient", "is", "tired"), fact("patient", "is", "dizzy")),
        (fact("patient", "had", "appendix out in 1990"), fact("patient", "had", "hernia repair in 2001")),
        (fact("left knee", "is", "swollen"), fact("right knee", "is", "swollen")),
        (
            fact("pain", "is located", "left hip"),
            fact("pain", "is located", "right hip", "It hurts in the right hip too."),
        ),
        (fact("creatinine", "is", "86", reported="last week"), fact("creatinine", "is", "120", reported="today")),
        (fact("pressure", "is", "54 in the right eye"), fact("pressure", "is", "17 in the left eye")),
        (fact("fever", "went away", "on Tuesday"), fact("fever", "came back", "yesterday")),
        (
            fact("patient", "has", "fever", "The fever came back."),
            fact("patient", "does not have", "fever", "Gone.", negated=True),
        ),
        (fact("patient", "is allergic to", "codeine"), fact("patient", "is not allergic to", "codeine", negated=True)),
        (fact("patient", "takes", "warfarin"), unknown("warfarin")),
        (fact("患者", "有", "发烧"), fact("患者", "有", "夜里咳嗽")),
        (fact("患者", "服用", "阿司匹林"), fact("患者", "服用", "雷米普利")),
        (fact("左膝", "肿", ""), fact("右膝", "肿", "")),
        (fact("肌酐", "为", "86", reported="上周"), fact("肌酐", "为", "120", reported="今天")),
        (fact("患者", "有", "发烧", "又烧起来了。"), fact("患者", "没有", "发烧", "退了。", negated=True)),
        (fact("患者", "过敏", "青霉素"), fact("患者", "不过敏", "青霉素", negated=True)),
        # What is talked of has telephones, addresses and prices of its own: the number is no measurement of one thing.
        (fact("telephone", "is", "010-62176655"), fact("telephone", "is", "010-64659787")),
        (fact("ticket", "is", "30 dollars"), fact("ticket", "is", "20 dollars")),
        (fact("电话", "为", "010-62176655"), fact("电话", "为", "010-64659787")),
        (fact("门票价格", "是", "32元"), fact("门票价格", "是", "30元")),
        (fact("地址", "是", "和平区解放北路东侧一号院1号"), fact("地址", "是", "朝阳区北辰东路北口5号")),
        # A question that named nothing may have meant something else the last time.
        (fact("complaint", "lasts", "3 hours"), fact("complaint", "lasts", "2 hours")),
        (fact("症状", "持续", "3小时"), fact("症状", "持续", "2小时")),
        (fact("the walk around it", "lasts", "3 hours"), fact("the walk around it", "lasts", "2 hours")),
        (fact("它的游玩时间", "持续", "3小时"), fact("它的游玩时间", "持续", "2小时")),
        # `Actually` opens a remark about something else, stands in the question, or is denied.
        (
            fact("patient", "says", "the soup was very good"),
            fact("patient", "says", "the walk was long", "Actually the walk was long."),
        ),
        (
            fact("patient", "says", "the soup was good"),
            fact(
                "patient", "says", "the soup was cold today", "Actually, what about the soup: The soup was cold today."
            ),
        ),
        (
            fact("患者", "说", "那里的汤很好喝"),
            fact("患者", "说", "其实路挺远的", "其实路挺远的。"),
        ),
        (
            fact("患者", "说", "这个汤很好喝"),
            fact("患者", "说", "汤是凉的", "其实我想问问汤：汤是凉的。"),
        ),
        (
            fact("患者", "说", "身高很高"),
            fact("患者", "说", "确实太高", "我没记错的话确实太高。"),
        ),
    ],
)
def test_in_doubt_both_stay(old: Draft, new: Draft) -> None:
    assert after(old, new) == [old.triple, new.triple]


def test_a_repeat_is_not_inserted_again() -> None:
    assert after(fact("patient", "has", "gout"), fact("the patient", "has", "gout")) == ["patient has gout"]
    assert after(fact("患者", "有", "痛风"), fact("患者", "有", "痛风")) == ["患者 有 痛风"]
    several = [fact("patient", "has", "gout"), fact("pain", "has severity", "4"), fact("fever", "lasts", "two days")]
    old = [
        Thought(**several[0].model_dump(), id=0, turn=1),
        Thought(**fact("fever", "lasts", "one day").model_dump(), id=1, turn=1),
    ]
    assert arrange(several, old, 9, EN) == [
        Again(0),
        Insert(several[1]),
        Insert(several[2]),
        Supersede(1, 1, "a newer value"),
    ]
    twice = [fact("patient", "has", "gout"), fact("patient", "has", "gout")]
    assert arrange(twice, [], 1, EN) == [Insert(twice[0])]


def test_more_detail_becomes_one_thought() -> None:
    assert after(fact("patient", "has", "asthma"), fact("patient", "has", "asthma for 30 years")) == [
        "patient has asthma for 30 years"
    ]


def test_one_item_of_a_list_is_taken_back_and_the_rest_stays() -> None:
    assert after(
        fact("patient", "does not have", "fever or chills", negated=True), fact("patient", "has", "a fever")
    ) == ["patient has a fever", "patient does not have chills"]
    assert after(fact("患者", "没有", "发烧或者寒战", negated=True), fact("患者", "有", "发烧")) == [
        "患者 有 发烧",
        "患者 没有 寒战",
    ]


@pytest.mark.parametrize(
    ("topic", "known"), [("rash", fact("patient", "has", "rash")), ("皮疹", fact("患者", "有", "皮疹"))]
)
def test_not_knowing_is_forgotten_once_the_thing_is_known(topic: str, known: Draft) -> None:
    assert after(unknown(topic), known) == [known.triple]
    space = Space(language_of(topic))
    space.take([unknown(topic)], 4)
    space.take([known], 5)
    assert len(space.active()) == 2, "two turns are too soon to forget"


def test_whole_replies_are_corrected() -> None:
    space = Space(EN)
    space.hear("Where is the pain?", "In the left knee.", 1)
    space.hear("Is the left knee swollen?", "Sorry, I meant the right knee.", 2)
    space.hear("Where is the pain?", "In the right knee.", 3)
    assert [line for line in space.active() if "is located" in line] == ["pain is located in the right knee"]
    chinese = Space(ZH)
    chinese.hear("哪里疼？", "左边膝盖。", 1)
    chinese.hear("哪里疼？", "右边膝盖。", 2)
    assert chinese.active() == ["疼痛 位于 右边膝盖"]


def test_which_side_is_corrected_whatever_was_said_of_it() -> None:
    space = Space(EN)
    space.hear("Which ear hurts?", "The left ear hurts. My throat is sore.", 1)
    space.hear("The left ear, is that right?", "No, the right ear.", 2)
    assert "left ear hurts" not in space.active()
    assert {"throat is sore", "complaint is the right ear"} <= set(space.active())
    chinese = Space(ZH)
    chinese.hear("哪只耳朵疼？", "左耳疼。", 1)
    chinese.hear("是左耳疼吗？", "不是，是右耳。", 2)
    assert [line for line in chinese.active() if "右耳" in line] == ["症状 是 右耳"]
    assert not any("左耳 疼" in line for line in chinese.active())


SYMPTOMS = ["fever", "cough", "rash", "headache", "nausea", "joint pain", "night sweats", "palpitations"]
SYMPTOMS_ZH = ["发烧", "咳嗽", "皮疹", "头痛", "恶心", "关节痛", "盗汗", "心慌"]


@given(st.permutations(SYMPTOMS), st.lists(st.integers(1, 4), min_size=8, max_size=8))
def test_symptoms_survive_in_any_order(order: list[str], gaps: list[int]) -> None:
    space, turn = Space(EN), 0
    for symptom, gap in zip(order, gaps, strict=True):
        turn += gap
        space.take([fact("patient", "has", symptom)], turn)
    assert all(symptom in " / ".join(space.active()) for symptom in SYMPTOMS)
    assert not space.forgotten


@given(st.permutations(SYMPTOMS_ZH), st.booleans())
def test_chinese_symptoms_survive_in_any_order(order: list[str], negated: bool) -> None:
    space = Space(ZH)
    for turn, symptom in enumerate(order):
        space.take([fact("患者", "没有" if negated else "有", symptom, negated=negated)], turn)
    assert all(symptom in " / ".join(space.active()) for symptom in SYMPTOMS_ZH)


DRAFTS = st.builds(
    Draft,
    subject=st.sampled_from(["patient", "pain", "warfarin", "left knee", "right knee", "creatinine"]),
    relation=st.sampled_from(
        ["has", "does not have", "takes", "is", "is located", "is allergic to", "has dose", "does not know"]
    ),
    object=st.sampled_from(
        ["fever", "fever, cough", "penicillin", "5 mg", "86", "120", "left hip", "pregnancy", "rash"]
    ),
    sentence=st.sampled_from(["", "Actually it is so.", "No, the other.", "It came back.", "I am allergic to it."]),
    negated=st.booleans(),
    certainty=st.sampled_from([0.0, 0.5, 1.0]),
    reported=st.sampled_from(["", "yesterday", "3 days ago"]),
)


@given(st.lists(st.lists(DRAFTS, max_size=3), max_size=8))
def test_nothing_protected_and_nothing_recent_is_forgotten_and_merges_lose_nothing(turns: list[list[Draft]]) -> None:
    thoughts: dict[int, Thought] = {}
    for turn, new in enumerate(turns):
        actions = arrange(new, list(thoughts.values()), turn, EN)
        assert actions == arrange(new, list(thoughts.values()), turn, EN)
        ended = [action.id for action in actions if isinstance(action, Forget)]
        assert all(not is_protected(thoughts[id_], EN) and thoughts[id_].turn < turn - 2 for id_ in ended)
        ended += [action.old_id for action in actions if isinstance(action, Supersede)]
        for action in actions:
            if isinstance(action, Merge):
                ended += action.ids
                for part in (thoughts[id_] for id_ in action.ids):
                    assert set(numbers(part.triple)) <= set(numbers(action.draft.triple))
                    assert part.negated == action.draft.negated
                    assert part.subject == action.draft.subject
                    assert part.object in action.draft.object
        assert len(ended) == len(set(ended)), "a thought ends once"
        for id_ in ended:
            thoughts[id_] = thoughts[id_].model_copy(update={"status": Status.FORGOTTEN})
        for action in actions:
            if isinstance(action, Insert | Merge):
                thoughts[len(thoughts)] = Thought(**action.draft.model_dump(), id=len(thoughts), turn=turn)


@pytest.mark.parametrize(
    ("relation", "single"),
    [
        *(
            (name, True)
            for name in (
                "is aged",
                "weighs",
                "is located",
                "began",
                "lasts",
                "has severity",
                "has dose",
                "smoking status",
            )
        ),
        *((name, False) for name in ("has", "has symptom", "takes", "is allergic to", "had operation", "lives with")),
        *((name, True) for name in ("年龄为", "体重为", "位于", "开始于", "持续", "程度为", "剂量为")),
        *((name, False) for name in ("有", "服用", "过敏", "做过", "没有")),
    ],
)
def test_one_value_or_many(relation: str, single: bool) -> None:
    assert is_single(relation, language_of(relation)) is single


@pytest.mark.parametrize(
    ("sentence", "protected"),
    [
        *(
            ("I came out in hives after amoxicillin.", True),
            ("She takes a blood thinner.", True),
            ("I am 20 weeks pregnant.", True),
        ),
        *(
            ("Rivaroxaban 20 mg every evening.", True),
            ("Codeine makes me sick, a side effect.", True),
            ("I use an inhaler.", True),
        ),
        *(
            ("My knee hurts.", False),
            ("Glucose 110 mg/dL.", False),
            ("I live with my sister.", False),
            ("The rash itches.", False),
        ),
        *(
            ("打青霉素起过疹子。", True),
            ("在吃华法林。", True),
            ("我怀孕20周了。", True),
            ("每天一片阿托伐他汀。", True),
            ("天天打胰岛素。", True),
        ),
        *(("膝盖疼。", False), ("血糖6.1 mmol/L。", False), ("跟姐姐一起住。", False)),
    ],
)
def test_what_must_never_be_forgotten(sentence: str, protected: bool) -> None:
    draft = Draft(subject="patient", relation="says", object=sentence, sentence=sentence)
    assert is_protected(draft, language_of(sentence)) is protected


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("urine white cells", "white cells in the urine", True),
        ("the patient", "I", True),
        ("WBC", "white blood cells", True),
        ("haemoglobin", "hemoglobin", True),
        ("my blood pressure", "BP", True),
        ("left knee", "right knee", False),
        ("white cells", "red cells", False),
        ("urine white cells", "white cells", False),
        ("patient", "mother", False),
        ("尿白细胞", "尿里的白细胞", True),
        ("我的血压", "血压", True),
        ("左膝", "右膝", False),
        ("白细胞", "红细胞", False),
        ("尿白细胞", "白细胞", False),
        ("低密度脂蛋白", "高密度脂蛋白", False),
    ],
)
def test_who_is_who(one: str, other: str, same: bool) -> None:
    language = language_of(one)
    assert same_subject(one, other, language) is same
    assert same_subject(other, one, language) is same
