"""A package of somebody else's that adds an option and an axis, written into a folder."""

from __future__ import annotations

from pathlib import Path

_MODULE = '''
from typing import Annotated, Literal

from osler.agents.doctors import Briefing, Conclusion, DoctorSettings, Question
from osler.settings.declaration import Setting
from osler.settings.groups import SettingsGroup


class Persona(SettingsGroup):
    """How the doctor speaks."""

    title = "Persona"

    tone: Annotated[Literal["calm", "curt"], Setting("How the doctor speaks.", axis=True)] = "calm"
    patience: Annotated[int, Setting("How long it waits.", minimum=1, label="patience")] = 2


class Speaker:
    """Asks in its tone, then concludes."""

    def __init__(self, settings: DoctorSettings) -> None:
        self.run = settings.run

    async def respond(self, briefing: Briefing) -> Question | Conclusion:
        if briefing.turns_left:
            return Question(text=f"Speak, I am {self.run.tone} for {self.run.patience} minutes.")
        return Conclusion(diagnosis="Gout", treatment="Colchicine")
'''
_ENTRY_POINTS = """[osler.settings]
persona = persona:Persona
"""


def install(folder: Path) -> None:
    """Put the package and what describes it into a folder, as installing it would."""
    (folder / "persona.py").write_text(_MODULE)
    described = folder / "persona-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: persona\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text(_ENTRY_POINTS)
