"""100 jobs of mixed kinds at once: starts them, waits for every end, and says how each kind fared.

    python -m tests.client_kit.load --url http://127.0.0.1:8000 --mode model --wren-ui

The service may be killed and started again while this runs: a connection that fails is tried again until `--patience`
is over, and a start bears an Idempotency-Key, so that one whose answer was lost is not started twice. Prints one line
a kind:

    accepted     starts that answered 202
    ended        jobs that reached an end of their table
    as expected  ends that are as if nothing had failed: the good end and a result of the contract's form
                 (without a model an edited plan fails OTHERS, with a hint)
    lost         accepted and then unknown, or never ended
    time         median and longest seconds from the start to the end

Exit status 1 when a job was lost or not ended, or fewer than `--expected` (0.99) went as expected.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import httpx2 as httpx

from tests.client_kit import expect, kinds
from tests.client_kit.bodies import CITY_DATA, COUNT_SQL, Shop, good, succeeds_without_model
from tests.client_kit.client import LOOKS, Ended, LegacyClient, preparation_body
from tests.client_kit.kinds import Kind
from tests.client_kit.manifest import Json, columns_of, hash_of, manifest

# How often each kind comes up; asks come most often, as they do in life.
WEIGHTS: tuple[tuple[Kind, int], ...] = (
    (kinds.ASK, 24),
    (kinds.ANSWER, 14),
    (kinds.CHART, 14),
    (kinds.CHART_ADJUSTMENT, 8),
    (kinds.DETAILS, 8),
    (kinds.FEEDBACK, 8),
    (kinds.SQL_QUESTION, 6),
    (kinds.SQL_CORRECTION, 6),
    (kinds.QUESTION_REC, 4),
    (kinds.RELATIONSHIP_REC, 4),
    (kinds.DESCRIPTION, 4),
)


@dataclass
class Outcome:
    """How one job fared."""

    kind: Kind
    accepted: bool = False
    ended: bool = False
    expected: bool = False
    lost: bool = False
    seconds: float = 0.0
    why: str = ""
    # The last answer, and the words of a stream.
    body: Json = field(default_factory=dict)
    text: str = ""


@dataclass
class Waits:
    """Connection errors that were waited out, over all jobs; and how many jobs were accepted and have ended by now."""

    broken: int = 0
    busy: int = 0
    accepted: int = 0
    ended: int = 0


class Flood:
    """The jobs, one client over them all."""

    def __init__(self, http: httpx.AsyncClient, shop: Shop, mode: str, patience: float, waits: Waits) -> None:
        self._http = http
        self._shop = shop
        self._mode = mode
        self._patience = patience
        self.waits = waits

    async def _call(self, method: str, path: str, end: float, **more: object) -> httpx.Response:
        """One call; broken connections, 429 and 503 are waited out."""
        pause = 0.1
        while True:
            try:
                answer = await self._http.request(method, path, **more)  # type: ignore[arg-type]
            except httpx.TransportError:
                self.waits.broken += 1
                if time.monotonic() > end:
                    raise
            else:
                if answer.status_code not in (429, 503) or time.monotonic() > end:
                    return answer
                self.waits.busy += 1
                after = answer.headers.get("retry-after", "")
                pause = float(after) if after.isdigit() else pause
            await asyncio.sleep(min(pause, 5.0) * (0.5 + random.random()))
            pause = min(pause * 1.6, 2.0)

    async def job(self, kind: Kind) -> Outcome:
        """One job from its start to its end."""
        out = Outcome(kind)
        began = time.monotonic()
        end = began + self._patience
        try:
            await self._follow(kind, out, end)
        except httpx.TransportError as error:
            out.lost = out.accepted
            out.why = f"no connection: {type(error).__name__}"
        except (ValueError, KeyError, TypeError) as error:
            out.why = f"an answer that cannot be read: {error!r}"
        out.seconds = time.monotonic() - began
        return out

    async def _follow(self, kind: Kind, out: Outcome, end: float) -> None:
        key = {"Idempotency-Key": str(uuid.uuid4())}
        started = await self._call("POST", kind.route, end, json=good(kind, self._shop), headers=key)
        if started.status_code != 202:
            out.why = f"the start answered {started.status_code}: {started.text[:120]}"
            return
        out.accepted = True
        self.waits.accepted += 1
        job_id = str(started.json()[kind.id_name])
        seen: list[str] = []
        answers: list[Json] = []
        pause = 0.1
        while True:
            read = await self._call("GET", kind.poll_path(job_id), end)
            if read.status_code == 404:
                out.lost, out.why = True, "accepted, then unknown (404)"
                return
            if read.status_code != 200:
                out.why = f"the poll answered {read.status_code}"
                return
            body: Json = read.json()
            status = str(body.get("status"))
            if status not in kind.statuses:
                out.why = f"the client's enum does not know {status!r}"
                return
            if "trace_id" in body and body["trace_id"] != job_id:
                out.lost, out.why = True, f"the answer is of {body['trace_id']}"
                return
            answers.append(body)
            seen += [status] if not seen or seen[-1] != status else []
            if status in kind.terminal:
                out.ended, out.body = True, body
                self.waits.ended += 1
                await self._judge(Ended(kind, job_id, body, seen, answers), out)
                return
            if time.monotonic() > end:
                out.lost, out.why = True, f"still {status} after {self._patience:.0f} s"
                return
            await asyncio.sleep(pause)
            pause = min(pause * 1.2, 1.0)

    async def _judge(self, ended: Ended, out: Outcome) -> None:
        try:
            self._form(ended)
            if ended.kind is kinds.ANSWER:
                read = await self._call("GET", f"{ended.kind.route}/{ended.id}/streaming", time.monotonic() + 30)
                assert read.status_code == 200, f"the stream answered {read.status_code}"
                assert 'data: {"message":"' in read.text, "the stream has no words"
                lines = [line.removeprefix("data:") for line in read.text.splitlines() if line.startswith("data:")]
                out.text = "".join(json.loads(line)["message"] for line in lines)
        except AssertionError as error:
            out.why = str(error).splitlines()[0][:160]
        else:
            out.expected = True

    def _form(self, ended: Ended) -> None:
        """The end as if nothing had failed. A run that was started again after a kill may show its states twice."""
        kind = ended.kind
        if self._mode == "no_model" and not succeeds_without_model(kind):
            assert ended.status == "failed", f"ended {ended.status} without a model"
            assert expect.job_error(ended).get("hint"), "no hint"
            return
        assert ended.status == kind.good, f"{ended.status}: {ended.error}"
        assert not ended.error, f"an error on a good end: {ended.error}"
        response: Any = ended.body.get("response")
        match kind.name:
            case "ask" | "feedback":
                assert isinstance(response, list), "no response"
                assert response, "no response"
                assert response[0]["sql"], "no SQL"
            case "details":
                assert response["description"], "no description"
                assert response["steps"][-1]["cte_name"] == "", "no last step"
            case "answer":
                assert ended.body["num_rows_used_in_llm"] == len(CITY_DATA["data"]), "not all rows used"
            case "sql_question":
                assert len(ended.body["questions"]) == 3, "not three questions"
            case "sql_correction":
                assert response == COUNT_SQL, "valid SQL was changed"
            case "chart" | "chart_adjustment":
                expect.chart(response, {"city", "customer_count"})
            case "question_rec":
                assert response["questions"], "no questions"
            case "relationship_rec":
                assert response["relationships"], "no relationships"
            case "description":
                assert {one["name"] for one in response} == {"customers", "orders"}, "other models described"
                assert {one["name"] for one in response} <= set(columns_of(self._shop.model))


def mixed(jobs: int, seed: int) -> list[Kind]:
    """That many kinds, by weight, each at least once where there is room, in an order that the seed sets."""
    chosen = [kind for kind, _ in WEIGHTS][:jobs]
    chance = random.Random(seed)
    rest = max(0, jobs - len(chosen))
    chosen += chance.choices([kind for kind, _ in WEIGHTS], [weight for _, weight in WEIGHTS], k=rest)
    chance.shuffle(chosen)
    return chosen


async def flood(
    url: str, mode: str, shop: Shop, chosen: list[Kind], patience: float, headers: dict[str, str], waits: Waits
) -> list[Outcome]:
    """Starts all at once and waits for every end; `waits` counts meanwhile."""
    limits = httpx.Limits(max_connections=len(chosen) + 10)
    timeout = httpx.Timeout(30.0, pool=patience)
    async with httpx.AsyncClient(
        base_url=url.rstrip("/"), headers=headers, limits=limits, timeout=timeout, trust_env=False
    ) as http:
        runner = Flood(http, shop, mode, patience, waits)
        return list(await asyncio.gather(*(runner.job(kind) for kind in chosen)))


def report(outcomes: list[Outcome], waits: Waits, seconds: float) -> str:
    """One line a kind, one for all, and why jobs did not go as expected."""
    head = (
        f"{'kind':<18}{'jobs':>6}{'accepted':>10}{'ended':>7}{'as expected':>13}{'lost':>6}{'median s':>10}{'max s':>8}"
    )
    lines = [head]
    names = [kind.name for kind, _ in WEIGHTS]
    for name in [*names, "all"]:
        of = [one for one in outcomes if name in (one.kind.name, "all")]
        if not of:
            continue
        times = [one.seconds for one in of]
        counts = [sum(getattr(one, part) for one in of) for part in ("accepted", "ended", "expected", "lost")]
        lines.append(
            f"{name:<18}{len(of):>6}{counts[0]:>10}{counts[1]:>7}{counts[2]:>13}{counts[3]:>6}"
            f"{statistics.median(times):>10.2f}{max(times):>8.2f}"
        )
    why = Counter(f"{one.kind.name}: {one.why}" for one in outcomes if one.why)
    lines += [f"  {count} x {text}" for text, count in why.most_common(30)]
    lines.append(f"{seconds:.1f} s in all; {waits.broken} broken connections and {waits.busy} busy answers waited out")
    return "\n".join(lines)


def deploy(url: str, shop: Shop, headers: dict[str, str]) -> None:
    """Deploys the shop where it is not there yet."""
    client = LegacyClient(url, project=shop.project, headers=headers)
    try:
        client.start(kinds.PREPARATION, preparation_body(shop.model))
        end = time.monotonic() + LOOKS[-1]
        while client.get(kinds.PREPARATION, shop.hash).json().get("status") == "indexing":
            if time.monotonic() > end:
                raise SystemExit("the shop was not deployed within 21 s")
            time.sleep(0.2)
    finally:
        client.close()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Jobs of mixed kinds at once.")
    parser.add_argument("--url", required=True)
    parser.add_argument("--mode", choices=("model", "no_model"), required=True)
    parser.add_argument("--wren-ui", action="store_true", help="the service runs with compatibility: wren_ui")
    parser.add_argument("--jobs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument(
        "--patience", type=float, default=240.0, help="seconds that one job may take, restarts included"
    )
    parser.add_argument("--expected", type=float, default=0.99, help="share that must end as expected")
    parser.add_argument("--key", default="", help="bearer key")
    parser.add_argument("--data-source", default="DUCKDB")
    parser.add_argument("--no-deploy", action="store_true", help="the shop is deployed already")
    given = parser.parse_args(arguments)
    headers = {"Authorization": f"Bearer {given.key}"} if given.key else {}
    model = manifest(data_source=given.data_source)
    shop = Shop(hash_of(model), model, "1" if given.wren_ui else None)
    if not given.no_deploy:
        deploy(given.url, shop, headers)
    chosen = mixed(given.jobs, given.seed)
    began = time.monotonic()
    waits = Waits()
    outcomes = asyncio.run(flood(given.url, given.mode, shop, chosen, given.patience, headers, waits))
    sys.stdout.write(report(outcomes, waits, time.monotonic() - began) + "\n")
    lost = any(one.lost or not one.ended for one in outcomes)
    well = sum(one.expected for one in outcomes) >= given.expected * len(outcomes)
    return 1 if lost or not well else 0


if __name__ == "__main__":
    sys.exit(main())
