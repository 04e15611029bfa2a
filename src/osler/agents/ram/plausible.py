"""What cannot be meant with this patient: who asks a grown man about tight socks does not ask about a baby's feet."""

from __future__ import annotations

from dataclasses import replace

from osler.agents.ram.intent import Ask, Intent
from osler.records.schema import PatientRecord, Sex

_GROWN, _SMALL = 14.0, 10.0
"""Years from which nobody asks as of a small child, and below which nobody asks as of an adult."""
_MOST = 3.0
"""How much likelier the others can become: what was hardly heard before is not sure now."""
_OF_CHILDREN = frozenset(
    {
        *("child-crying", "child-feeding", "child-drinking", "child-play", "child-hands-feet", "child-milestones"),
        *("child-behaviour", "wet-nappies", "infant-feeding", "nursery", "growth", "birth", "teething"),
        *("colic-wind-baby", "birthmark-baby-skin", "fontanelle", "baby-hips", "head-circumference", "bedwetting"),
    }
)
_OF_ADULTS = frozenset(
    {
        *("sildenafil", "erection-libido", "sexual-partners", "marriage", "menopause", "hormone-replacement"),
        *("could-be-pregnant", "contraception", "contraceptive-pill", "hot-flushes", "driving", "semen", "work"),
        *("military-prison", "dementia-history", "prostate-exam", "mammography", "cervical-smear"),
    }
)
_OF_WOMEN = frozenset(
    {
        *("heavy-periods", "period-pain", "abnormal-vaginal-bleeding", "vaginal-discharge", "last-period", "menarche"),
        *("menstrual-cycle", "menopause", "could-be-pregnant", "pregnancies", "pregnancy-test", "fetal-scan"),
        *("pregnancy-complications", "miscarriage-abortion", "breast-feeding-mother", "contraceptive-pill"),
        *("gynaecological-history", "cervical-smear", "colposcopy", "tubes-womb-look", "mammography", "breast-exam"),
    }
)
_OF_MEN = frozenset(
    {
        *("male-genital-symptoms", "testicular-pain", "sign-male-genital", "scrotal-ultrasound", "prostate-exam"),
        *("semen", "erection-libido"),
    }
)


def implausible(record: PatientRecord) -> frozenset[str]:
    """The concepts that a question to this patient does not mean, whatever its words.

    A child's mother is asked about her own pregnancy and birth: of a child only what is of adults is left out.
    """
    if record.age.years < _SMALL:
        return _OF_ADULTS
    other_sex = {Sex.MALE: _OF_WOMEN, Sex.FEMALE: _OF_MEN}.get(record.sex, frozenset())
    return other_sex | (_OF_CHILDREN if record.age.years >= _GROWN else frozenset())


def less(intent: Intent, out: frozenset[str]) -> Intent:
    """The intent without these concepts; what was heard of them goes to the others in proportion."""
    if not any(out & ask.meant.keys() for ask in intent.asks):
        return intent
    return replace(intent, asks=tuple(_less(ask, out) for ask in intent.asks))


def _less(ask: Ask, out: frozenset[str]) -> Ask:
    kept = {name: share for name, share in ask.meant.items() if name not in out}
    rest = sum(kept.values())
    if not rest or len(kept) == len(ask.meant):
        return ask if kept else replace(ask, meant={})
    by = min(sum(ask.meant.values()) / rest, _MOST)
    return replace(ask, meant={name: share * by for name, share in kept.items()})
