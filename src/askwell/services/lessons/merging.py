"""What becomes of a project's lessons when one is learnt, approved, used or undone. Nothing here reads or writes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from askwell.errors import Conflict
from askwell.knowledge.lessons import MAX_LESSONS, MAX_SOURCES, PRIORS, Lesson, LessonOrigin, Lessons, LessonStatus
from askwell.messages import say
from askwell.semantic_parsing.taught import key_of

Changed = dict[str, Lesson | None]
# Mappings that agree in a prefix from which on it is a rule, and the letters that it needs to be one.
_ENOUGH, _SHORTEST_PREFIX = 2, 2
# Asks whose statements people called right before such a statement counts for others; and answers that people called
# right before a proposal counts that they were given by.
_CONFIRMED, _VERIFIED = 2, 3


def learning(lessons: Lessons, new: Iterable[Lesson]) -> Changed:
    """With lessons that were learnt or written: merged with what says the same, and in the place of what says
    otherwise."""
    now, changed = dict(lessons), Changed()
    for one in new:
        if one.id not in now and len(now) >= MAX_LESSONS:
            continue
        merged = _merged(now.get(one.id), one)
        if merged is not None:
            is_confirmed = merged.kind == "query_pattern" and len(merged.sources) >= _CONFIRMED
            if is_confirmed and not _rivals(now, merged, "active", "candidate"):
                merged = replace(merged, status="active")
            changed |= _placed(now, merged)
            now |= {key: value for key, value in changed.items() if value is not None}
    changed |= _prefix_rules(now)
    return changed


def decided(lessons: Lessons, lesson_id: str, status: LessonStatus) -> Changed:
    """With what a person decided of a lesson. Raises `Conflict` where what counts more says otherwise."""
    lesson = replace(lessons[lesson_id], status=status)
    if status == "active" and lesson.origin != "manual":
        lesson = replace(lesson, origin=_surer(lesson.origin, "accepted"), uses=0, successes=0)
    changed = _placed(lessons, lesson)
    if (placed := changed[lesson_id]) is not None and placed.status != status:
        raise Conflict(*say("lessons.contradicts_person"))
    return changed


def used(lessons: Lessons, ids: Iterable[str], *, uses: int, successes: int) -> dict[str, Lesson]:
    """With so many uses and successes more, or fewer, of those of these lessons that count."""
    return {
        one: lessons[one].used(uses, successes) for one in ids if one in lessons and lessons[one].status == "active"
    }


def verified(lessons: Lessons, judged: Mapping[str, tuple[int, int]]) -> Changed:
    """With so many answers more, or fewer, that people judged of these proposals, and of them so many right ones. One
    that was right often enough counts."""
    now, changed = dict(lessons), Changed()
    for one, (answers, right) in judged.items():
        if one not in now or now[one].status != "candidate":
            continue
        lesson = now[one].used(answers, right)
        if lesson.status == "candidate" and lesson.successes >= _VERIFIED:
            origin = _surer(lesson.origin, "verified")
            lesson = replace(lesson, status="active", origin=origin, uses=0, successes=0)
        changed |= _placed(now, lesson)
        now |= {key: value for key, value in changed.items() if value is not None}
    return changed


def disowned(lessons: Lessons, ask_id: str) -> dict[str, Lesson]:
    """Without what nothing but this ask, whose answer was wrong, has taught."""
    only = (one for one in lessons.values() if one.sources == (ask_id,) and one.status in ("active", "candidate"))
    return {one.id: replace(one, status="retired") for one in only}


def undone(lessons: Lessons, lesson_id: str) -> Changed:
    """Without a lesson: one that was learnt is not learnt again, what it took the place of counts again, and a rule
    that was made of it goes where too few others agree."""
    lesson = lessons[lesson_id]
    changed: Changed = {lesson_id: None if lesson.origin == "manual" else replace(lesson, status="refused")}
    for other in lesson.replaces:
        if other in lessons and lessons[other].status == "retired":
            changed[other] = replace(lessons[other], status="active")
    now = {key: value for key, value in {**lessons, **changed}.items() if value is not None}
    rules = _agreeing(now.values())
    for one in now.values():
        prefix = one.body.get("transformation_rule", {}).get("add_prefix", "").lower()
        if prefix and one.status == "candidate" and len(rules.get(prefix, ())) < _ENOUGH:
            changed[one.id] = None
    return changed


def _merged(known: Lesson | None, new: Lesson) -> Lesson | None:
    """One lesson of the two; None where a person has refused it, or nothing is new."""
    if known is None:
        return new
    kept = replace(
        known, sources=tuple(dict.fromkeys((*known.sources, *new.sources)))[:MAX_SOURCES], note=new.note or known.note
    )
    if known.status in ("retired", "refused"):
        is_less = new.status == "candidate" and PRIORS[new.origin] < PRIORS[known.origin]
        if is_less or (known.status == "refused" and new.origin != "manual"):
            return None
        return replace(kept, origin=new.origin, uses=0, successes=0, status=new.status)
    if new.status == "active" or known.status == "candidate":
        kept = replace(kept, origin=_surer(known.origin, new.origin), status=new.status)
    return kept if kept != known else None


def _rivals(lessons: Lessons, lesson: Lesson, *statuses: LessonStatus) -> list[Lesson]:
    """What says something else of the same."""
    return [
        one for one in lessons.values() if one.about == lesson.about and one.id != lesson.id and one.status in statuses
    ]


def _surer(one: LessonOrigin, other: LessonOrigin) -> LessonOrigin:
    return max(one, other, key=lambda origin: PRIORS[origin])


def _placed(lessons: Lessons, lesson: Lesson) -> Changed:
    """The lesson among the others. Of what is active only one says what something means: the one whose origin is surer;
    of equals, the later one."""
    rivals = _rivals(lessons, lesson, "active")
    if lesson.status != "active" or not rivals:
        return {lesson.id: lesson}
    if any(PRIORS[one.origin] > PRIORS[lesson.origin] for one in rivals):
        return {lesson.id: replace(lesson, status="candidate")}
    replaces = tuple(dict.fromkeys((*lesson.replaces, *(one.id for one in rivals))))
    changed: Changed = {one.id: replace(one, status="retired") for one in rivals}
    return changed | {lesson.id: replace(lesson, replaces=replaces)}


def _prefix_rules(lessons: Lessons) -> Changed:
    """Rules for prefixes in which several learnt mappings agree, as proposals."""
    found = Changed()
    for prefix, agreeing in _agreeing(lessons.values()).items():
        rule_id = f"lesson-prefix-{prefix}"
        if len(agreeing) >= _ENOUGH and rule_id not in lessons:
            found[rule_id] = Lesson(
                id=rule_id,
                kind="table_mapping",
                about=f"prefix {prefix}",
                body={"transformation_rule": {"add_prefix": prefix}},
                origin="recovery",
                status="candidate",
                sources=tuple(source for one in agreeing for source in one.sources)[:MAX_SOURCES],
            )
    return found


def _agreeing(lessons: Iterable[Lesson]) -> Mapping[str, list[Lesson]]:
    """Learnt mappings, and proposals of some, by what their tables are called before the words that people say."""
    found: defaultdict[str, list[Lesson]] = defaultdict(list)
    for one in lessons:
        learnt = one.kind == "table_mapping" and one.status in ("active", "candidate") and one.origin != "manual"
        table = one.body.get("table", "").lower() if learnt else ""
        prefix, _, rest = table.partition("_")
        if rest and len(prefix) >= _SHORTEST_PREFIX and key_of(rest.replace("_", " ")) == key_of(one.body["said"]):
            found[f"{prefix}_"].append(one)
    return found
