"""What the servers behind a run's models said of themselves when it was started or resumed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain

from pydantic import BaseModel, ValidationError

from osler.errors import UserError
from osler.models.servers import ServerDescription
from osler.models.spec import parse_spec
from osler.runs.plan import models_of
from osler.runs.store import RunFile


class AnswerNote(BaseModel):
    """Answers of a session with the same remarks of the server, and how many there were."""

    model: str
    fingerprint: str | None = None
    refused_options: tuple[str, ...] = ()
    count: int


class SessionNotes(BaseModel):
    """What a session of a run noted of its servers."""

    servers: dict[str, ServerDescription] = {}
    """By the spec of a backbone."""
    answers: list[AnswerNote] = []


def _notes_of(run: RunFile) -> Iterator[SessionNotes]:
    """The notes of the sessions; damaged ones are left out, since no score hangs on them."""
    for detail in run.session_details():
        with suppress(ValidationError):
            yield SessionNotes.model_validate_json(detail)


def servers_of(run: RunFile) -> dict[str, list[ServerDescription]]:
    """The servers that answered, by the spec of a backbone.

    A spec has several if the server changed between two sessions. A server that said nothing of
    itself, or was not asked, is known by its address.
    """
    servers: dict[str, list[ServerDescription]] = defaultdict(list)
    for notes in _notes_of(run):
        for spec, description in notes.servers.items():
            if description not in servers[spec]:
                servers[spec].append(description)
    for spec in sorted(models_of(run.columns(), run.settings) - servers.keys()):
        # It may be a backbone of another version, or of a package that is not here.
        with suppress(UserError):
            address = parse_spec(spec).base_url
            if address:
                servers[spec].append(ServerDescription(address=address))
    return dict(servers)


def server_lines(run: RunFile) -> Iterator[str]:
    """What there is to say of a run's servers, a line each."""
    for spec, servers in servers_of(run).items():
        changed = " (the server changed between sessions)" if len(servers) > 1 else ""
        yield f"{spec}: {'; then '.join(map(str, servers))}{changed}"
    fingerprints: dict[str, set[str]] = defaultdict(set)
    refused: Counter[tuple[str, tuple[str, ...]]] = Counter()
    notes = chain.from_iterable(session.answers for session in _notes_of(run))
    for note in notes:
        if note.fingerprint:
            fingerprints[note.model].add(note.fingerprint)
        if note.refused_options:
            refused[note.model, note.refused_options] += note.count
    for model, prints in fingerprints.items():
        yield f"{model}: system_fingerprint {', '.join(sorted(prints))}"
    for (model, options), count in sorted(refused.items()):
        yield (
            f"{model}: the server refuses {', '.join(options)}; {count} answer(s) were asked for"
            " without"
        )


def server_warnings(runs: Iterable[RunFile]) -> Iterator[str]:
    """Warn of models that were behind different servers, in one run or in several."""
    by_model: dict[str, list[ServerDescription]] = defaultdict(list)
    for run in runs:
        for spec, servers in servers_of(run).items():
            by_model[parse_spec(spec).model] += servers
    for model, servers in by_model.items():
        descriptions = {server.model_dump_json() for server in servers if server.says_something}
        addresses = len({server.address for server in servers})
        if addresses > 1 or len(descriptions) > 1:
            names = " / ".join(dict.fromkeys(map(str, servers)))
            names += f"; {addresses} addresses" if addresses > 1 else ""
            yield (
                f"{model} was behind different servers ({names}); a difference between its columns"
                " may be the servers'"
            )
