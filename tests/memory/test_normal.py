"""What is as it should be, in words and in values; what is not known to be is a finding."""

import pytest

from osler.memory.tim.normal import is_normal
from osler.memory.tim.thought import Thought


def thought(subject: str, relation: str, object_: str) -> Thought:
    return Thought(id=1, turn=1, subject=subject, relation=relation, object=object_)


@pytest.mark.parametrize(
    ("subject", "relation", "object_"),
    [
        ("temperature", "is", "36.8"),
        ("temperature", "was measured at", "36.7"),
        ("blood pressure", "is", "118 over 76"),
        ("haemoglobin", "is", "13.4"),
        ("haemoglobin", "is", "134"),
        ("rest of the colon", "were", "normal"),
        ("pregnancy test", "was", "negative"),
        ("lipase", "is", "41, it should be up to 60"),
        ("体温", "为", "36.7度"),
        ("血压", "为", "118/76"),
        ("血常规", "为", "正常"),
    ],
)
def test_what_is_in_order(subject: str, relation: str, object_: str) -> None:
    assert is_normal(thought(subject, relation, object_))


@pytest.mark.parametrize(
    ("subject", "relation", "object_"),
    [
        ("temperature", "is", "38.6"),
        ("blood pressure", "is", "168 over 76"),
        ("lipase", "is", "2140, it should be up to 60"),
        ("D-dimer", "is", "0.3"),
        ("white cells", "is", "6.9 but falling"),
        ("TSH", "is", "low"),
        ("ECG", "shows", "normal rhythm but ST elevation"),
        ("FEV1", "is", "41% of normal"),
        ("patient", "is", "65"),
        ("血小板", "为", "62"),
        ("血糖", "为", "5.6，偏高"),
        ("抗体", "为", "阳性"),
    ],
)
def test_what_is_not_or_is_not_known_to_be(subject: str, relation: str, object_: str) -> None:
    assert not is_normal(thought(subject, relation, object_))
