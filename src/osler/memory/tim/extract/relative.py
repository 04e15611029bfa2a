"""Facts of somebody else: what is answered to a question about a relative is the relative's, and not the patient's."""

from __future__ import annotations

import re
from collections.abc import Sequence

from osler.language import Language, Speaker
from osler.language.relatives import asks_who_speaks, relative_asked_about
from osler.language.words import plain
from osler.memory.tim.thought import PATIENT, Draft

_SAYS = {"says": "has", "说": "有"}
_OF_ONESELF = {
    Language.EN: re.compile(r"\b(?:i|i'm|i've|i'd|me|myself)\b"),
    Language.ZH: re.compile(
        r"我(?!们?家?的?(?:爸|妈|父|母|爷|奶|外|姥|哥|姐|弟|妹|叔|姑|姨|舅|爱人|老公|老婆|丈夫|妻))"
    ),
}


def of_whom(drafts: Sequence[Draft], question: str, speaker: Speaker, language: Language) -> list[Draft]:
    """The drafts, with those about a relative who was asked about given to that relative."""
    who = relative_asked_about(question, speaker, language)
    if not who:
        return list(drafts)
    themselves = asks_who_speaks(question, speaker, language)

    def owned(draft: Draft) -> Draft:
        of_oneself = _OF_ONESELF[language].search(plain(draft.sentence)) is not None
        if draft.subject not in PATIENT or (of_oneself and not themselves):
            return draft
        # Words that nothing else is known of tell what the relative has, not what the relative says.
        return draft.model_copy(update={"subject": who, "relation": _SAYS.get(draft.relation, draft.relation)})

    return [owned(draft) for draft in drafts]
