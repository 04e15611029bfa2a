"""`MemoryStore`: memories of many users in one file, with the calls that users of mem0 know."""

# ruff: noqa: S608 -- statements are made of our own words; values of others are bound

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Self

from osler.errors import UserError
from osler.language import Language
from osler.memory.base import Memory, MemorySettings, Query, Recall, Turn
from osler.memory.core.items import ItemisedMemory, turn_key
from osler.memory.registry import MemoryFactory, memory_factory, memory_options
from osler.memory.store.arguments import (
    check_metadata,
    ids_of,
    language_named,
    limit_of,
    owner_of,
    stored_form,
    thinker_of,
)
from osler.memory.store.background import blocking, in_background
from osler.memory.store.file import StoreFile
from osler.memory.store.filters import IDS, matches
from osler.memory.store.item_table import ItemSource, ItemTable, shown
from osler.memory.store.messages import exchanges, language_of, open_question
from osler.memory.store.scopes import LiveScope, MemoryOwner, ScopeTable
from osler.models import Backbone, open_backbone
from osler.plugins import as_name

_MESSAGE = {
    "update": "Memory updated",
    "delete": "Memory deleted",
    "delete_all": "Memories deleted",
}


class MemoryStore:
    """Remembers what many users said, in one SQLite file that processes may share.

    Each user has a memory of their own, of any kind that Osler knows. Every method has an async
    twin: `add` and `aadd`.
    """

    def __init__(
        self,
        file: str | Path | None = None,
        *,
        memory: str | MemoryFactory | None = None,
        language: Language | str | None = None,
        backbone: str | None = None,
        settings: MemorySettings | None = None,
    ) -> None:
        """Open a file, or make it.

        Args:
            file: The file; None for a store that ends with the process.
            memory: The kind of memory, with options, as in `--memory`: `tim`, `raw`,
                `tim,embedder=st:NAME`, `package.module:Class` or the class itself. By default that
                of the file; `tim` for a new one.
            language: `en` or `zh`; by default found out for each text.
            backbone: The model behind the memory, as in `--backbone`; by default none. It is not
                stored.
            settings: Budget of a recall and other settings of the memories.

        Raises:
            UserError: The file is something else or cannot be written, or a name is wrong.
        """
        self._path = Path(file).absolute() if file is not None else None
        self._requested_memory = None if memory is None else as_name(memory)
        self._settings = settings or MemorySettings()
        self._language = language_named(language)
        self._spec = None if backbone == "rules" else backbone
        self._backbone: Backbone | None = None
        self._process: int | None = None
        self._opened_files: list[StoreFile] = []
        self._open()

    @in_background
    async def _aopen(self) -> None:
        if memory_options(self._requested_memory or "")[0] == "none":
            raise UserError(
                "the memory none keeps nothing, so there is nothing to store", "use tim or raw"
            )
        if self._requested_memory is not None:
            memory_factory(self._requested_memory)(self._settings)
        if self._spec is not None:
            self._backbone = open_backbone(self._spec)
            self._settings = self._settings.model_copy(
                update={"thinker": thinker_of(self._backbone)}
            )
        file = StoreFile(self._path, self._requested_memory)
        stored = file.memory
        spec = self._requested_memory or stored
        if stored_form(spec) != stored_form(stored):
            file.close()
            raise UserError(
                f"the memory store {self._path} holds memories of {stored!r}, not of {spec!r}",
                f"open it with memory={stored!r}, or give another file",
            )
        factory = memory_factory(spec)

        def make(language: Language) -> Memory:
            return factory(self._settings.model_copy(update={"language": language}))

        # After a fork, the other process's file must stay open and unused here.
        self._opened_files.append(file)
        self._file = file
        self._items = ItemTable(file)
        self._scopes = ScopeTable(file, make)
        self._process = os.getpid()

    _open = blocking(_aopen)

    @in_background
    async def aadd(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        session_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: Any = None,
        infer: bool = True,
    ) -> dict[str, Any]:
        """Remember a text or the messages of a conversation.

        Each exchange is saved before the next is read.

        Args:
            messages: A text, a message or several: `role`, `content`, and if need be `name` and
                `timestamp`.
            user_id: Whose memory it is. If there is no user, the agent's, or else the session's.
            agent_id: The agent that took part.
            run_id: The session.
            session_id: The same as `run_id`.
            metadata: Kept with the items, for filters.
            timestamp: When it was said, for messages without a time of their own.
            infer: False asks for the words as they are, which the memory `raw` keeps.

        Returns:
            `results`: for each item its `id`, `memory` (its text) and `event`: ADD, or SUPERSEDE
            for an older item that something new took the place of.
        """
        await self._ready()
        ids = ids_of(user_id, agent_id, run_id, session_id)
        if not infer and memory_options(self._file.memory)[0] != "raw":
            raise UserError(
                "infer=False is not for a memory that thinks", "open the store with memory='raw'"
            )
        check_metadata(metadata)
        owner = owner_of(ids)

        def language(turn: Turn) -> Language:
            return self._language_of(f"{turn.question} {turn.reply}", owner)

        events = []
        for turns_language, turns in groupby(exchanges(messages, timestamp), language):
            scope = self._scopes.number(owner, turns_language)
            async with self._scopes.writing(scope) as live:
                for turn in turns:
                    events += await self._remember(live, turn, ids, metadata or {})
        return {"results": events}

    async def _remember(
        self, live: LiveScope, turn: Turn, ids: Mapping[str, str], metadata: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        session = (live.number, ids.get("run_id", ""))
        waiting_questions = self._file.rows(
            "SELECT question, asked_by FROM asked WHERE scope = ? AND run_id = ?", *session
        )
        turn = turn.model_copy(update={"number": live.turns + 1})
        if waiting_questions and not turn.question:
            turn = turn.model_copy(update=dict(waiting_questions[0]))
        await live.memory.remember(turn)
        with self._file.transaction():
            items = self._scopes.save_turn(live, turn)
            self._file.rows("DELETE FROM asked WHERE scope = ? AND run_id = ?", *session)
            if open_question(turn):
                self._file.rows(
                    "INSERT INTO asked VALUES (?, ?, ?, ?)", *session, turn.question, turn.asked_by
                )
            return self._items.add(items, ItemSource(live.number, turn, ids, metadata))

    add = blocking(aadd)

    @in_background
    async def asearch(
        self,
        query: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        session_id: str | None = None,
        limit: int | None = None,
        top_k: int | None = None,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = None,
    ) -> dict[str, Any]:
        """Find what bears on a query.

        Args:
            query: A question or some words.
            user_id: Whose memory is searched. The ids may also be in `filters`.
            agent_id: Only what was added with this agent.
            run_id: Only what was added in this session.
            session_id: The same as `run_id`.
            limit: Maximum number of results, 20 by default.
            top_k: The same as `limit`.
            filters: Conditions on metadata, ids and times, with mem0's operators.
            threshold: The lowest score. Scores order the results of one search; they are no
                probabilities.

        Returns:
            `results`, best first: `id`, `memory`, `score`, `metadata`, ids and times.
        """
        await self._ready()
        ids = ids_of(user_id, agent_id, run_id, session_id, filters)
        most = limit_of(limit, top_k)
        conditions = {**(filters or {}), **ids}
        first = self._language_of(query, owner_of(ids))
        results: list[tuple[bool, float, dict[str, Any]]] = []
        for scope in self._scopes_of(ids):
            async with self._scopes.reading(scope) as live:
                ranked = await _ranked(live.memory, query)
            taken_here = 0
            for key, score in ranked:
                if taken_here == most:
                    break
                if threshold is not None and score < threshold:
                    continue
                item = self._items.at_key(scope, key)
                if item and matches(item, conditions):
                    results.append(
                        (live.language is not first, -score, item | {"score": round(score, 4)})
                    )
                    taken_here += 1
        # What is in the language of the query comes first.
        results.sort(key=lambda result: result[:2])
        return {"results": [item for _, _, item in results[:most]]}

    search = blocking(asearch)

    @in_background
    async def arecall(
        self,
        query: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> Recall:
        """Return what a memory recalls for a prompt.

        Its `text` is within the budget of the settings; `facts` says the same for code.
        """
        await self._ready()
        owner = owner_of(ids_of(user_id, agent_id, run_id))
        first = self._language_of(query, owner)
        recall = Recall()
        scopes = self._scopes.of_owner(owner)
        for _, scope in sorted(scopes.items(), key=lambda pair: pair[0] is not first):
            async with self._scopes.reading(scope) as live:
                recall = await live.memory.recall(Query(query))
            if recall.text:
                break
        return recall

    recall = blocking(arecall)

    @in_background
    async def aget(self, memory_id: str) -> dict[str, Any] | None:
        """Return one item, or None if there is none with that id."""
        await self._ready()
        rows = self._file.rows("SELECT * FROM items WHERE id = ? AND text IS NOT NULL", memory_id)
        if rows:
            return shown(rows[0])
        return None

    get = blocking(aget)

    @in_background
    async def aget_all(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        session_id: str | None = None,
        limit: int | None = None,
        top_k: int | None = None,
        filters: Mapping[str, Any] | None = None,
        superseded: bool = False,
    ) -> dict[str, Any]:
        """Return all items as `results`, oldest first.

        With `superseded`, also those that others took the place of.
        """
        await self._ready()
        ids = ids_of(user_id, agent_id, run_id, session_id, filters)
        conditions = {**(filters or {}), **ids}
        items = (shown(row) for row in self._items.rows(ids, superseded=superseded))
        results = [item for item in items if matches(item, conditions)]
        if limit is not None or top_k is not None:
            results = results[: limit_of(limit, top_k)]
        return {"results": results}

    get_all = blocking(aget_all)

    @in_background
    async def aupdate(
        self, memory_id: str, data: str | None = None, *, metadata: Mapping[str, Any] | None = None
    ) -> dict[str, str]:
        """Give an item another text, more metadata, or both.

        The older text stays in its history.
        """
        await self._ready()
        check_metadata(metadata)
        row = self._items.find(memory_id)
        if data is None or not data.strip():
            if metadata is None:
                raise UserError(
                    "update has neither text nor metadata",
                    "give data='the new text', or metadata={…}",
                )
            with self._file.transaction():
                self._items.reword(row, None, metadata)
            return _done("update")
        async with self._scopes.writing(row["scope"]) as live:
            row = self._items.find(memory_id)
            if row["superseded_at"] is not None:
                raise UserError(
                    f"the memory {memory_id} is superseded", "update the one that took its place"
                )
            went = await self._itemised(live.memory, "updated").rewrite(row["key"], data.strip())
            with self._file.transaction():
                self._scopes.rewrite(live)
                self._items.erase(row["scope"], went)
                self._items.reword(row, data.strip(), metadata)
        return _done("update")

    update = blocking(aupdate)

    @in_background
    async def adelete(self, memory_id: str) -> dict[str, str]:
        """Delete an item with everything in the file that holds its words, its history included."""
        await self._ready()
        row = self._items.find(memory_id)
        await self._erase(row["scope"], [row["key"]])
        return _done("delete")

    delete = blocking(adelete)

    @in_background
    async def adelete_all(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        session_id: str | None = None,
    ) -> dict[str, str]:
        """Delete everything of a user, or only what was added with an agent or in a session."""
        await self._ready()
        ids = ids_of(user_id, agent_id, run_id, session_id)
        for scope in self._scopes_of(ids):
            keys = [row["key"] for row in self._items.rows(ids) if row["scope"] == scope]
            await self._erase(scope, keys)
        return _done("delete_all")

    delete_all = blocking(adelete_all)

    def _itemised(self, memory: Memory, what: str) -> ItemisedMemory:
        """The memory, if its items can be changed one by one."""
        if not isinstance(memory, ItemisedMemory):
            raise UserError(
                f"single items of the memory {self._file.memory} cannot be {what}",
                "use delete_all, or give the memory the methods of"
                " osler.memory.core.items.ItemisedMemory",
            )
        return memory

    async def _erase(self, scope: int, keys: list[str]) -> None:
        async with self._scopes.writing(scope) as live:
            sql = "SELECT key FROM items WHERE scope = ? AND text IS NOT NULL"
            is_all = {row["key"] for row in self._file.rows(sql, scope)} <= {*keys}
            if not is_all:
                keys = await self._itemised(live.memory, "deleted").erase(keys)
            with self._file.transaction():
                if is_all:
                    self._scopes.clear(scope)
                else:
                    self._scopes.rewrite(live)
                self._items.erase(scope, keys)
        self._file.empty_log()

    @in_background
    async def ahistory(self, memory_id: str) -> list[dict[str, Any]]:
        """Return the changes of an item, oldest first.

        Of a deleted item it says only what happened when.
        """
        await self._ready()
        return self._items.history(memory_id)

    history = blocking(ahistory)

    @in_background
    async def areset(self) -> None:
        """Delete everything of everybody."""
        await self._ready()
        with self._file.transaction():
            for table in ("log", "asked", "changes", "items", "scopes"):
                self._file.rows(f"DELETE FROM {table}")
        self._scopes.forget()
        self._file.shrink()
        self._file.empty_log()

    reset = blocking(areset)

    @in_background
    async def aclose(self) -> None:
        """Close the file; what was added is saved already."""
        if self._process == os.getpid():
            self._file.close()
        if self._backbone is not None:
            await self._backbone.close()
        self._process = 0

    close = blocking(aclose)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.aclose()

    async def _ready(self) -> None:
        """Open the file again in a forked process: SQLite's connections do not survive a fork."""
        if self._process == 0:
            raise UserError("the memory store is closed", "open it again: MemoryStore(file)")
        if self._process != os.getpid() and self._path is not None:
            await self._aopen()

    def _language_of(self, text: str, owner: MemoryOwner) -> Language:
        """The language of the store or of the text; of `38.5`, that of the owner so far."""
        return (
            self._language
            or language_of(text)
            or next(iter(self._scopes.of_owner(owner)), self._settings.language)
        )

    def _scopes_of(self, ids: Mapping[str, str]) -> list[int]:
        owner = owner_of(ids)
        own = list(self._scopes.of_owner(owner).values())
        if owner.kind == IDS[0]:
            return own
        return sorted({*own, *self._items.scopes(ids)})


def _done(what: str) -> dict[str, str]:
    return {"message": f"{_MESSAGE[what]} successfully!"}


async def _ranked(memory: Memory, query: str) -> list[tuple[str, float]]:
    """The items of a memory, best first: its own search, or else the turns of what it recalls.

    A turn scores what its best fact does; without a fact, recalled word for word, it scores 1.
    """
    if isinstance(memory, ItemisedMemory):
        return await memory.search(query)
    recall = await memory.recall(Query(query))
    scores: dict[str, float] = {}
    for fact in recall.facts:
        key = turn_key(fact.turn)
        scores[key] = max(fact.score, scores.get(key, fact.score))
    for turn in recall.exchanges:
        if turn.reply:
            scores.setdefault(turn_key(turn.number), 1.0)
    return sorted(scores.items(), key=lambda pair: -pair[1])
