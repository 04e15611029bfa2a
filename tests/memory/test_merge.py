"""Without a model: which new thought repeats an old one, adds to it, replaces it, or stands beside it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from osler.memory.tim.merge import merge_thoughts

from osler.language import Language
from osler.memory import Turn
from osler.memory.tim.actions import Action, Again, Insert, Merge, Supersede
from osler.memory.tim.thought import Draft, Thought, ThoughtKind, ThoughtStatus

EN, ZH = Language.EN, Language.ZH


def has(object_: str, **more: object) -> Draft:
    chinese = any("\u4e00" <= char <= "\u9fff" for char in object_)
    subject, relation = ("患者", "有") if chinese else ("patient", "has")
    return Draft.model_validate({"subject": subject, "relation": relation, "object": object_, **more})


def kept(draft: Draft, id_: int = 1, turn: int = 1) -> Thought:
    return Thought(**draft.model_dump(), id=id_, turn=turn)


def turn_of(new: Sequence[Draft], number: int = 9) -> Turn:
    """A turn in which these thoughts were said."""
    said = " ".join(one.sentence or f"{one.object}." for one in new)
    return Turn(number=number, question="", reply=said)


def done(old: Draft, new: Draft) -> list[Action]:
    language = ZH if old.subject == "患者" else EN
    return merge_thoughts([new], [kept(old)], turn_of([new]), language)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (has("gout"), has("gout")),
        (has("a dry cough", reported="for three weeks"), has("cough")),
        (has("fever", negated=True), has("a fever", negated=True)),
        (has("痛风"), has("痛风")),
        (has("发烧", negated=True), has("发烧", negated=True)),
    ],
)
def test_what_is_known_is_only_said_again(old: Draft, new: Draft) -> None:
    assert done(old, new) == [Again(1)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (has("cough"), has("a dry cough", reported="for three weeks")),
        (has("asthma"), has("asthma since childhood")),
        (has("咳嗽"), has("咳嗽", reported="三周")),
    ],
)
def test_more_detail_is_merged_into_one_thought(old: Draft, new: Draft) -> None:
    if old.object == new.object:
        new = new.model_copy(update={"object": f"干{new.object}"})
    [action] = done(old, new)
    assert isinstance(action, Merge) and action.ids == (1,) and action.draft.reported == new.reported


def test_a_time_told_before_stays_with_the_detail() -> None:
    [action] = done(has("cough", reported="for three weeks"), has("a dry cough at night"))
    assert isinstance(action, Merge) and action.draft.reported == "for three weeks"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # The opposite.
        (has("fever", negated=True), has("a fever")),
        (has("warfarin", kind=ThoughtKind.MEDICINE), has("warfarin", negated=True, kind=ThoughtKind.MEDICINE)),
        (has("发烧", negated=True), has("发烧")),
        # Another value of the same thing.
        (has("temperature 38.5"), has("temperature 37.1")),
        (has("warfarin 3 mg", kind=ThoughtKind.MEDICINE), has("warfarin 5 mg", kind=ThoughtKind.MEDICINE)),
        (has("体温38.5度"), has("体温37.1度")),
        # A correction that says so.
        (has("pain in the left knee"), has("pain in the right knee", sentence="Sorry, I meant the right knee.")),
        (has("左边膝盖痛"), has("右边膝盖痛", sentence="说错了，是右边膝盖痛。")),
    ],
)
def test_newer_wins_where_only_one_can_hold(old: Draft, new: Draft) -> None:
    insert, supersede = done(old, new)
    assert insert == Insert(new)
    assert isinstance(supersede, Supersede) and supersede.id == 1 and supersede.why


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (has("fever"), has("cough")),
        (has("pain in the left knee"), has("pain in the right knee")),
        (has("temperature 38.5", reported="on Monday"), has("temperature 37.1", reported="today")),
        (has("chest pain"), has("pain", negated=True)),
        (has("diabetes"), has("diabetes", negated=True, subject="mother")),
        (has("fever"), has("fever", negated=True, certainty=0.5)),
        (has("white cells 3", relation="urine test:"), has("white cells 12.3", relation="blood count:")),
        (has("penicillin", kind=ThoughtKind.ALLERGY), has("allergy", negated=True, kind=ThoughtKind.ALLERGY)),
        (has("左膝痛"), has("右膝痛")),
        (has("白细胞3", relation="尿检："), has("白细胞12.3", relation="血常规：")),
    ],
)
def test_in_doubt_both_stay(old: Draft, new: Draft) -> None:
    assert done(old, new) == [Insert(new)]


def test_a_correction_within_one_reply_leaves_only_what_is_right() -> None:
    new = [
        has("the left", relation="knee:", sentence="The left."),
        has("the right", relation="knee:", sentence="Sorry, I mean the right one."),
    ]
    assert merge_thoughts(new, [], turn_of(new), EN) == [Insert(new[1])]


SYMPTOMS = {
    EN: ["fever", "cough", "rash", "headache", "nausea", "joint pain", "night sweats", "palpitations"],
    ZH: ["发烧", "咳嗽", "皮疹", "头痛", "恶心", "关节痛", "盗汗", "心慌"],
}


@given(st.sampled_from([EN, ZH]), st.randoms(), st.booleans())
def test_different_symptoms_never_replace_each_other(language: Language, random: object, negated: bool) -> None:
    order = list(SYMPTOMS[language])
    random.shuffle(order)  # type: ignore[attr-defined]
    drafts = [has(symptom, negated=negated) for symptom in order]
    old = [kept(one, id_) for id_, one in enumerate(drafts[:4], 1)]
    assert merge_thoughts(drafts[4:], old, turn_of(drafts[4:]), language) == [Insert(one) for one in drafts[4:]]


DRAFTS = st.builds(
    has,
    st.sampled_from(["fever", "fever cough", "penicillin", "5 mg", "pulse 86", "pulse 120", "left hip", "发烧", ""]),
    relation=st.sampled_from(["has", "may have", "blood test:", ""]),
    sentence=st.sampled_from(["", "Actually it is so.", "其实是这样。"]),
    negated=st.booleans(),
    certainty=st.sampled_from([0.5, 1.0]),
    reported=st.sampled_from(["", "yesterday", "3 days ago"]),
)


@given(st.lists(st.lists(DRAFTS, max_size=3), max_size=8))
def test_each_thought_ends_once_and_only_when_it_was_there(turns: list[list[Draft]]) -> None:
    thoughts: dict[int, Thought] = {}
    for turn, new in enumerate(turns, 1):
        said = turn_of(new, turn)
        actions = merge_thoughts(new, list(thoughts.values()), said, EN)
        assert actions == merge_thoughts(new, list(thoughts.values()), said, EN)
        ended = [one.id for one in actions if isinstance(one, Supersede)]
        ended += [id_ for one in actions if isinstance(one, Merge) for id_ in one.ids]
        assert len(ended) == len(set(ended))
        assert all(thoughts[id_].status is ThoughtStatus.ACTIVE for id_ in ended)
        for id_ in ended:
            thoughts[id_] = thoughts[id_].model_copy(update={"status": ThoughtStatus.SUPERSEDED})
        for draft in (one.draft for one in actions if isinstance(one, Insert | Merge)):
            thoughts[len(thoughts) + 1] = kept(draft, len(thoughts) + 1, turn)
