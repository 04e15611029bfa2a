"""Results that a patient reads out, as a report has them: under their name, without the reading out, nothing lost."""

import pytest

from osler.language.words import numbers
from osler.memory.tim.extract.english import think_english

EXAMINED = "What did the physical examination show?"
TESTED = "What did the blood tests or other laboratory tests show?"
IMAGED = "What did the imaging, such as X-ray, ultrasound, CT or MRI, show?"


@pytest.mark.parametrize(
    ("question", "reply", "fact"),
    [
        (EXAMINED, "The nurse took my temperature, it was 36.6.", "temperature is 36.6"),
        (EXAMINED, "They put the cuff on me and it was 132 over 80.", "blood pressure is 132 over 80"),
        (EXAMINED, "They measured my blood pressure, 108 over 66.", "blood pressure is 108 over 66"),
        (EXAMINED, "They measured both calves, left 39.5 cm and right 35.5 cm.", "shows both calves, left 39.5 cm and right 35.5 cm"),
        (EXAMINED, "They counted 26 breaths a minute.", "breathing rate is 26 breaths a minute"),
        (EXAMINED, "The finger clip said 94, I think, without extra oxygen.", "oxygen saturation is 94, without extra oxygen"),
        (EXAMINED, "His heart is going at 116, it's regular, they said.", "heart rate is 116, it's regular"),
        ("What is your temperature?", "The nurse told me, 38.8 it was.", "temperature is 38.8"),
        (TESTED, "They tested the stool for rotavirus and it came back positive.", "stool rotavirus test is positive"),
        (TESTED, "The CRP, that's the inflammation one, was 1.5.", "CRP is 1.5"),
        (TESTED, "I did a urine drug screen, and it was normal.", "urine drug screen is normal"),
        (IMAGED, "They did a heart tracing as well, regular rhythm, no ST-T changes.", "heart tracing shows regular rhythm, no ST-T changes"),
        (IMAGED, "She had a head CT that showed blood around the brain.", "head CT shows blood around the brain"),
        (IMAGED, "I was told that the chest X-ray showed that both lungs were clear.", "chest X-ray shows both lungs were clear"),
        (IMAGED, "Brain MRI: No, nobody has scanned my head.", "brain MRI has not been done"),
        (
            TESTED,
            "Complete Blood Count: Where is it, here, white cells 16.8, neutrophils 89 percent, haemoglobin 138.",
            "white cells 16.8, neutrophils 89 percent, haemoglobin 138",
        ),
        (EXAMINED, "Leg examination: The doctor said my left calf is firm, and a finger leaves a dent.", "leg examination shows my left calf is firm, and a finger leaves a dent"),
        (EXAMINED, "Temperature: I think the nurse wrote 35.8.", "temperature is 35.8"),
        (TESTED, "Cortisol, here it is, 412, normal.", "cortisol is 412, normal"),
        (TESTED, "Then there's one called anti-CCP, 4, it should be below 17.", "anti-CCP is 4, it should be below 17"),
        (TESTED, "Breath test positive. 18.6, should be below 4.0.", "breath test is positive, 18.6, should be below 4.0"),
        (TESTED, "Uric acid: 586. High.", "uric acid is 586, high"),
        (IMAGED, "Sheet says sinus rhythm, 96, no ST elevation.", "imaging shows sinus rhythm, 96, no ST elevation"),
        (IMAGED, "Abdominal ultrasound: The scan says my gallbladder is swollen up.", "abdominal ultrasound shows my gallbladder is swollen up"),
        (IMAGED, "No, I haven't had an MRI. It showed fluid and no gas.", "imaging shows fluid and no gas"),
        (TESTED, "TSH is high, 68.4, and free T4 is low, 4.1.", "TSH is high, 68.4"),
        (TESTED, "TSH is high, 68.4, and free T4 is low, 4.1.", "free T4 is low, 4.1"),
        (TESTED, "Haemoglobin was 131 g/L, and platelets were 245.", "platelets is 245"),
        ("When did this start?", "Let me think, about 6 months now.", "about 6 months now"),
        (TESTED, "It says. On air, pH 7.36.", "air, pH 7.36"),
        ("How long have you been coughing?", "I've been coughing for, let me think, 4 days.", "coughing for 4 days"),
    ],
)  # fmt: skip
def test_a_result_is_told_under_its_name_without_the_reading_out(question: str, reply: str, fact: str) -> None:
    told = " | ".join(draft.triple for draft in think_english(question, reply))

    assert fact in told
    for talk in ("they", "nurse", "doctor", "told", "sheet", "let me", "where is it", "I think"):
        assert talk not in told
    assert set(numbers(reply)) == set(numbers(told))


@pytest.mark.parametrize(
    ("question", "reply", "kept"),
    [
        (EXAMINED, "My right pupil is 6 mm; the left is 3 mm, round and reacts.", "the left is 3 mm, round and reacts"),
        (IMAGED, "The heartbeat was normal, and the kidney ultrasound showed a wide pelvis of 8 mm.", "the kidney ultrasound showed a wide pelvis of 8 mm"),
        (TESTED, "The ketones, it says beta-hydroxybutyrate, were 6.2.", "beta-hydroxybutyrate"),
        (IMAGED, "No, they didn't see any crystals in it.", "see any crystals"),
        (EXAMINED, "Abdominal examination: It hurts right here.", "right here"),
        (IMAGED, "Colonoscopy: Nobody found any growth.", "found any growth"),
        (IMAGED, "Chest X-ray: I haven't had pneumonia.", "haven't had pneumonia"),
        (EXAMINED, "I have hard little bumps on both hands, just as you see.", "just as you see"),
    ],
)  # fmt: skip
def test_what_tells_more_than_one_result_is_kept_whole(question: str, reply: str, kept: str) -> None:
    assert kept in " | ".join(draft.triple for draft in think_english(question, reply))


def test_the_sentence_stays_as_it_was_said() -> None:
    reply = "Complete Blood Count: I have the sheet here, white cells 14.6 and neutrophils 86 percent."

    [draft] = think_english(TESTED, reply)

    assert draft.sentence == reply
    assert "sheet" not in draft.triple


@pytest.mark.parametrize(
    ("reply", "fact"),
    [
        ("Lying flat makes it worse. It came on suddenly 14 hours ago.", "complaint came on suddenly 14 hours ago"),
        ("Warm milk helps. It is 8 out of 10.", "complaint is 8 out of 10"),
        (
            "Just going up the stairs makes it worse. No, it didn't hit me all at once.",
            "complaint did not hit me all at once",
        ),
    ],
)
def test_what_makes_it_worse_is_not_what_is_spoken_of(reply: str, fact: str) -> None:
    made = think_english("When did this start, and what makes it better or worse?", reply)
    assert fact in [f"{one.subject} {one.relation} {one.object}" for one in made]


@pytest.mark.parametrize(
    ("reply", "fact"),
    [
        ("I threw up 2 times. It was only what I'd eaten.", "only what I had eaten"),
        ("I'd never had such pain before.", "patient had never had such pain before"),
        ("I'd rather lie down.", "patient would rather lie down"),
        ("I'd need to sit.", "patient would need to sit"),
    ],
)
def test_had_and_would_are_told_apart(reply: str, fact: str) -> None:
    made = think_english("Do you have any other symptoms?", reply)
    assert any(fact in f"{one.subject} {one.relation} {one.object}" for one in made), made


def test_what_was_never_done_was_not_done_on_the_day_of_the_next_test() -> None:
    reply = "No, I've never had an MRI of my knees. The X-ray showed spurs in both knees. That was 14 days ago."
    never, spurs = think_english(IMAGED, reply)
    assert never.negated and not never.reported
    assert spurs.reported == "14 days ago"


def test_what_had_not_happened_by_a_day_keeps_it() -> None:
    _, lung = think_english(IMAGED, "The heart was normal. The lung has not expanded. That was 2 days ago.")
    assert lung.negated and lung.reported == "2 days ago"


@pytest.mark.parametrize(
    ("reply", "facts"),
    [
        ("A dense oval patch, 26 mm. That's what my report says.", ["imaging shows a dense oval patch, 26 mm"]),
        ("Let me see. It was normal.", ["imaging shows it was normal"]),
        ("That's what they told me. It was round, and it moved.", ["imaging shows it was round, and it moved"]),
    ],
)
def test_an_aside_is_kept_with_the_sentence_and_not_in_the_fact(reply: str, facts: list[str]) -> None:
    thoughts = think_english("What did the imaging show?", reply)
    assert [thought.triple for thought in thoughts] == facts
    heard = " ".join(thought.sentence for thought in thoughts)
    assert all(word in heard for word in reply.replace(".", " ").replace(",", " ").split())
