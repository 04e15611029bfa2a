"""Telling a laboratory test from an examination by its name, for sources that keep them together."""

import re

from osler.records.schema import Category

_EXAMINATION = re.compile(
    r"\b(?:ct|cta|mri|mra|x-?ray|radiograph\w*|ultraso\w+|doppler|echo\w*|ecg|ekg|electro\w+|emg|eeg|imaging|scans?|angio\w+|endoscop\w+|colonoscop\w+|"
    r"bronchoscop\w+|gastroscop\w+|cystoscop\w+|laparoscop\w+|biops\w+|patholog\w*|histolog\w*|mammogra\w+|fundoscop\w+|spirometr\w+|"
    r"pulmonary function|tomograph\w*|scintigra\w+|manometr\w+|audiometr\w+|stress test|barium|swallow|slit.?lamp)\b"
    r"|CT|MRI|核磁|磁共振|X线|X光|胸片|超声|彩超|B超|心电图|脑电图|肌电图|内镜|胃镜|肠镜|支气管镜|膀胱镜|造影|活检|病理|眼底|肺功能|平片",
    re.IGNORECASE,
)


def kind_of_test(name: str) -> Category:
    """`examination` for imaging, tracings, endoscopy and tissue; `test` for the rest."""
    return Category.EXAMINATION if _EXAMINATION.search(name) else Category.TEST
