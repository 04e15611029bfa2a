"""Where a replay stands: what time and keys do to it. It knows no terminal."""

from __future__ import annotations

from osler.replay.scenes import Scene, Section

_FASTEST, _SLOWEST = 64.0, 0.125


class Player:
    """Plays scenes line by line."""

    def __init__(self, scenes: tuple[Scene, ...], speed: float = 1.0) -> None:
        """Begin before the first line."""
        self.scenes, self.speed = scenes, speed
        self.place = 0
        """The scene that is played."""
        self.shown = 0
        """Its lines that are shown."""
        self.playing = True
        self.typed: str | None = None
        """Digits of a turn to jump to; None when none is asked for."""
        self.over = False
        self._since: float | None = None

    @property
    def scene(self) -> Scene:
        """The scene that is played."""
        return self.scenes[self.place]

    @property
    def ended(self) -> bool:
        """Whether everything is shown."""
        return self.place == len(self.scenes) - 1 and self.shown == len(self.scene.lines)

    @property
    def panel(self) -> list[Section]:
        """What stands behind the lines that are shown."""
        return [section for section in self.scene.panel if section.from_line <= self.shown]

    def tick(self, now: float) -> bool:
        """Show the next line when its time has come; whether anything changed."""
        if self._since is None:
            self._since = now
        if not self.playing or self.ended or now - self._since < self._pause() / self.speed:
            return False
        self._step()
        self._since = now
        return True

    def press(self, key: str) -> None:
        """Do what a key asks for; unknown keys do nothing."""
        if key.isdecimal() and key.isascii():
            self.typed = ((self.typed or "") + key)[-6:]
        elif key == "g" or (key == "enter" and self.typed is not None):
            self._jump()
        elif key == "escape":
            self.typed = None
        else:
            self.typed = None
            self._move(key)

    def jump(self, turn: int) -> None:
        """Go to a turn, or to the nearest there is, and show its first line."""
        turns = [scene.turn for scene in self.scenes]
        self.place = min(range(len(turns)), key=lambda place: abs(turns[place] - turn))
        self.shown = min(1, len(self.scene.lines))
        self._since = None

    def _move(self, key: str) -> None:
        match key:
            case "q":
                self.over = True
            case " ":
                if self.playing:
                    self.playing = False
                else:
                    self._step()
            case "enter" | "p":
                self.playing, self._since = not self.playing, None
            case "right" | "j":
                self._turn(1)
            case "left" | "k":
                self._turn(-1)
            case "+" | "=":
                self.speed = min(_FASTEST, self.speed * 2)
            case "-":
                self.speed = max(_SLOWEST, self.speed / 2)
            case _:
                pass

    def _turn(self, by: int) -> None:
        if by > 0 and self.place == len(self.scenes) - 1:
            self.shown = len(self.scene.lines)
        else:
            self.jump(self.scenes[max(0, self.place + by)].turn)

    def _jump(self) -> None:
        """`12g` jumps at once; `g` alone asks for the digits, and a second `g` or enter jumps."""
        if self.typed:
            self.jump(int(self.typed))
            self.typed = None
        else:
            self.typed = "" if self.typed is None else None

    def _pause(self) -> float:
        if self.shown < len(self.scene.lines):
            return self.scene.lines[self.shown].pause
        following = self.scenes[self.place + 1].lines if self.place + 1 < len(self.scenes) else ()
        return following[0].pause if following else 0.0

    def _step(self) -> None:
        """One line further, over the end of a scene into the next one."""
        if self.shown < len(self.scene.lines):
            self.shown += 1
        elif self.place + 1 < len(self.scenes):
            self.place += 1
            self.shown = min(1, len(self.scene.lines))
