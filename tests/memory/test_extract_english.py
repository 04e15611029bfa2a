"""An English thought stands without the sentence it came from."""

from __future__ import annotations

import pytest

from tests.memory.exchanges import EXAM, IMAGING, LIFE, OTHERS, START, Exchange, check, remembered

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
            ("thyroid part is normal, tsh 1.4 and free t4 13.9", False),
            ("they swabbed my throat and it came back negative", False),
            ("in my urine there was no sugar, white cells 3", False),
        ],
        [("that was in may", False), ("tests came back", False)],
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
        [("ct shows a cyst on the kidney", False), ("ultrasound shows the ducts were narrow", False)],
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
        [("temperature is 37.9 when i took it", False)],
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
