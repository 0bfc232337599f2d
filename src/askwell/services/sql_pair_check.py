"""Whether SQL that people save can be used at all: over their project's model, before it stands in for an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from askwell.errors import AskwellError, InvalidRequest
from askwell.knowledge.saved import SqlPair
from askwell.messages import say
from askwell.question.same_wording import question_wording
from askwell.services.pair_parameters import with_samples
from askwell.services.projects import ProjectModel, ProjectModels
from askwell.sql.context import QueryContext
from askwell.sql.outcome import CheckMode, RejectedSql, RejectionKind

# Seconds for all pairs of a request: its sender is waiting. One takes some milliseconds.
TIME_LIMIT = 20.0
_SECONDS_EACH = 5.0
# Reasons told in full; of the pairs beyond, the ids have to do.
_REASONS = 50
_REASON_LENGTH = 300


@dataclass(frozen=True, slots=True)
class CheckedPairs:
    """`usable` are the pairs to save, `refused` the reasons against the others by id, `refusal` all of these in words,
    and `warnings` say what could not be checked. `remarks` are `{id, repairs?, sql?, same_question?}`: of a statement
    that works only with repairs these, and itself with them; and the id of another pair whose question asks the
    same."""

    usable: tuple[SqlPair, ...]
    refusal: InvalidRequest | None = None
    warnings: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[Mapping[str, Any], ...] = ()


async def check_pairs(
    projects: ProjectModels, project_id: str, pairs: Sequence[SqlPair], *, strict: bool = False
) -> CheckedPairs:
    """Plan each pair over the project's current model, with samples for its parameters; no statement reaches the
    database. With `strict` one that works only with repairs is refused. What cannot be checked now, for want of a model
    or of time, is usable: it is checked again whenever it would answer a question."""
    try:
        project = await projects.get(project_id, None)
        if project is None:
            return _unchecked(pairs, f"project {project_id} has no semantic model yet")
        return await _check(project, pairs, strict)
    except AskwellError as error:
        return _unchecked(pairs, error.message)


def refuse_same(checked: CheckedPairs, pairs: Sequence[SqlPair], known: Mapping[str, SqlPair]) -> CheckedPairs:
    """What was checked, without the pairs whose question asks the same as another one of `known`, or as an earlier one
    of `pairs`. May take a second for thousands of them."""
    sent = {one.id for one in pairs}
    stay = [one for one in known.values() if one.id not in sent]
    by_wording = {question_wording(one.question): one for one in reversed([*stay, *pairs])}
    remarks = {one["id"]: one for one in checked.remarks}
    refused = dict(checked.refused)
    for pair in pairs:
        other = by_wording.get(question_wording(pair.question))
        if other is not None and other.id != pair.id:
            remarks[pair.id] = {"id": pair.id, **remarks.get(pair.id, {}), "same_question": other.id}
            where = "sent with it" if other.id in sent else "saved already"
            refused.setdefault(pair.id, f"“{_short(other.question)}”, which is {where}, asks the same.")
    usable = tuple(pair for pair in checked.usable if pair.id not in refused)
    return replace(
        checked,
        usable=usable,
        refused=refused,
        refusal=_refusal(refused, len(pairs)),
        remarks=tuple(remarks.values()),
    )


async def _check(project: ProjectModel, pairs: Sequence[SqlPair], strict: bool) -> CheckedPairs:
    ends = asyncio.get_running_loop().time() + TIME_LIMIT
    context = QueryContext(now=datetime.now(UTC))
    usable: list[SqlPair] = []
    refused: dict[str, str] = {}
    unplanned: list[str] = []
    warnings: tuple[str, ...] = ()
    remarks: list[Mapping[str, Any]] = []
    for done, pair in enumerate(pairs):
        if asyncio.get_running_loop().time() > ends:
            late = _unchecked(pairs[done:], f"the others took {TIME_LIMIT:g} seconds")
            usable += late.usable
            warnings += late.warnings
            break
        try:
            sampled = with_samples(pair, project.engine.dialect)
        except InvalidRequest as error:
            refused[pair.id] = error.message
            continue
        outcome = await project.checker.check(
            sampled,
            mode=CheckMode.DRY_PLAN,
            context=context,
            timeout=_SECONDS_EACH,
        )
        if isinstance(outcome, RejectedSql) and not _needs_an_asker(outcome, project):
            refused[pair.id] = _short(outcome.error_for_writer)
            continue
        if isinstance(outcome, RejectedSql):
            unplanned.append(pair.id)
        elif outcome.repairs:
            # With samples in it, it is not the statement to save.
            mended = {} if pair.parameters else {"sql": outcome.sql}
            remarks.append({"id": pair.id, "repairs": list(outcome.repairs), **mended})
            if strict:
                refused[pair.id] = _short(" ".join(outcome.repairs))
                continue
        usable.append(pair)
        await asyncio.sleep(0)  # others get their turn
    if unplanned:
        warnings += (f"Saved, and checked only when somebody asks, because of access rules: {', '.join(unplanned)}.",)
    return CheckedPairs(tuple(usable), _refusal(refused, len(pairs)), warnings, refused, tuple(remarks))


def _needs_an_asker(outcome: RejectedSql, project: ProjectModel) -> bool:
    """Where rules depend on who asks, a statement may plan for some and not for nobody in particular."""
    return outcome.kind is RejectionKind.DRY_PLAN and any(
        model.row_level_access_controls or any(column.column_level_access_control for column in model.columns)
        for model in project.manifest.models
    )


def _refusal(refused: dict[str, str], of: int) -> InvalidRequest | None:
    if not refused:
        return None
    if of == 1:
        (reason,) = refused.values()
        return InvalidRequest(*say("pairs.not_saved", reason=reason))
    reasons = [f"{pair_id}: {reason}" for pair_id, reason in list(refused.items())[:_REASONS]]
    if rest := list(refused)[_REASONS:]:
        reasons.append(f"and also {', '.join(rest)}")
    return InvalidRequest(*say("pairs.some_not_saved", count=len(refused), of=of, reasons=" | ".join(reasons)))


def _short(reason: str) -> str:
    line = " ".join(reason.split())
    return line if len(line) <= _REASON_LENGTH else f"{line[:_REASON_LENGTH]}…"


def _unchecked(pairs: Sequence[SqlPair], why: str) -> CheckedPairs:
    what = "1 SQL pair was" if len(pairs) == 1 else f"{len(pairs)} SQL pairs were"
    return CheckedPairs(tuple(pairs), warnings=(f"{what} saved without being checked: {why.rstrip('.')}.",))
