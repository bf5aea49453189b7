"""Answers are kept for the same call on the same world, for one org, and a run may ask for them or forbid them."""

import asyncio
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from sqlalchemy import func, select, update
from support.model_server import Asked, ModelServer, Text
from support.platform import Org
from support.simulators import REFUNDED, STATE, Desk, failure

from odyssey.kit.clock import utc_now
from odyssey.records.ledger import ConsistencyMode, SetFlag
from odyssey.simulation.llm import ModelQuestion
from odyssey.simulation.llm.cache import AnswerCache, KeptAnswer, SimulatedAnswer
from odyssey.simulation.simulate import SimulationResult
from odyssey.worlds.ledger import Ledger

NOT_KEPT = "The cache holds no answer for this call on this world"
LOUD: dict[str, Any] = {
    "response": {"order_id": "o1", "status": "refunded"},
    "operations": [{"op": "set_flag", "flag": "loud"}],
}
"""An answer that `warn` takes and `strict` does not: it says what the world does not have."""


@pytest.fixture
def desk(org: Org) -> Desk:
    return Desk.of(org)


@pytest.fixture
def server(desk: Desk) -> Iterator[ModelServer]:
    with ModelServer(REFUNDED) as server:
        desk.set(server)
        yield server


def rows(desk: Desk) -> int:
    async def count() -> int:
        mine = select(func.count()).where(SimulatedAnswer.org_id == desk.org_id)
        async with desk.org.platform.database.read() as session:
            return await session.scalar(mine) or 0

    return desk.org.platform.do(count())


def overwrite(desk: Desk, answer: KeptAnswer) -> None:
    """Put another answer in the place of those that are kept."""

    async def write() -> None:
        text = msgspec.json.encode(answer).decode()
        mine = update(SimulatedAnswer).where(SimulatedAnswer.org_id == desk.org_id).values(answer=text)
        async with desk.org.platform.database.write() as session:
            await session.execute(mine)

    desk.org.platform.do(write())


def test_the_second_time_nobody_is_asked(desk: Desk, server: ModelServer) -> None:
    first, again = desk.refund(), desk.refund("strict", run_id=8)
    assert len(server.asked) == len(desk.calls()) == rows(desk) == 1
    assert (again.source, again.response, again.operations) == ("odyssey", first.response, first.operations)
    assert again.applied is not None
    assert first.applied is not None
    assert again.applied.ledger == first.applied.ledger
    assert again.validation == first.validation
    use = again.model
    assert use is not None
    assert (use.provider, use.model, use.cached) == ("openai", "scripted", True)
    assert (use.attempts, use.input_tokens, use.output_tokens, use.cost_usd) == (0, 0, 0, 0.0)


def change_call(**members: Any) -> Any:
    return lambda question: question._replace(call=msgspec.structs.replace(question.call, **members))


@pytest.mark.parametrize(
    "change",
    [
        change_call(arguments={"order_id": "o2"}),
        change_call(actor="helper"),
        lambda question: question._replace(behaviour="refund_order sets order.note = 'x'"),
        lambda question: question._replace(world=question.world.with_flag("vip")),
        lambda question: question._replace(world=question.world.with_entity("user", "u9", {})),
        lambda question: change_call(tool=msgspec.structs.replace(question.call.tool, description="x"))(
            question
        ),
    ],
    ids=["arguments", "actor", "behaviour", "flags", "entities", "tool"],
)
def test_another_question_is_asked(desk: Desk, server: ModelServer, change: Any) -> None:
    desk.refund()
    question: ModelQuestion = change(desk.question_of_refund())
    desk.ask(question)
    assert len(server.asked) == 2


def test_the_same_world_is_the_same_however_it_came_about(desk: Desk, server: ModelServer) -> None:
    desk.refund()
    world = Ledger.boot(dict(reversed(STATE.items()))).with_flag("x").without_flag("x")
    later = change_call(sequence=77, random_seed=5)(desk.question_of_refund()._replace(world=world))
    simulated = desk.ask(later)
    assert simulated.model is not None
    assert simulated.model.cached
    assert len(server.asked) == 1


def test_another_model_is_asked_and_another_org_has_its_own(
    desk: Desk, server: ModelServer, other_org: Org
) -> None:
    desk.refund()
    desk.set(server, model="another")
    desk.refund()
    assert len(server.asked) == 2
    other = Desk.of(other_org)
    other.set(server)
    assert failure(other.refund(cache="require")).startswith(NOT_KEPT)
    other.refund()
    assert len(server.asked) == 3


def test_a_run_that_requires_the_cache_never_asks(desk: Desk, server: ModelServer) -> None:
    refused = desk.refund(cache="require")
    assert failure(refused).startswith(NOT_KEPT)
    assert refused.model is None
    assert (server.asked, desk.calls()) == ([], [])
    desk.refund()
    assert desk.refund(cache="require").response == REFUNDED["response"]
    assert len(server.asked) == 1


def test_a_run_that_forbids_the_cache_neither_reads_nor_writes_it(desk: Desk, server: ModelServer) -> None:
    desk.refund(cache="forbid")
    assert rows(desk) == 0
    desk.refund()
    desk.refund(cache="forbid")
    assert (len(server.asked), rows(desk)) == (3, 1)


def test_what_was_not_accepted_is_not_kept(desk: Desk) -> None:
    with ModelServer(Text("no"), Text("no"), Text("no"), REFUNDED) as server:
        desk.set(server)
        failure(desk.refund())
        assert rows(desk) == 0
        assert desk.refund().source == "odyssey"


@pytest.mark.parametrize(("mode", "attempts"), [("off", 1), ("warn", 1), ("strict", 3)])
def test_what_contradicts_the_world_is_not_kept(desk: Desk, mode: ConsistencyMode, attempts: int) -> None:
    with ModelServer(*[LOUD] * attempts, REFUNDED) as server:
        desk.set(server)
        first = desk.refund(mode)
        assert (first.source, len(server.asked)) == ("error" if mode == "strict" else "odyssey", attempts)
        assert failure(desk.refund(mode, cache="require")).startswith(NOT_KEPT)
        again = desk.refund(mode)
        assert (again.response, again.violations) == (REFUNDED["response"], ())
        assert (len(server.asked), rows(desk)) == (attempts + 1, 1)


@pytest.mark.parametrize("mode", ["off", "warn", "strict"])
def test_what_was_kept_before_it_was_known_to_contradict_gives_way(
    desk: Desk, server: ModelServer, mode: ConsistencyMode
) -> None:
    desk.refund()
    overwrite(desk, KeptAnswer(LOUD["response"], (SetFlag("loud"),), 0.7))
    again = desk.refund(mode)
    assert (again.response, again.operations != (), again.violations) == (REFUNDED["response"], True, ())
    assert (len(server.asked), rows(desk)) == (2, 1)
    desk.refund(mode)
    assert len(server.asked) == 2


@pytest.mark.both_databases
def test_two_at_once_keep_one_answer(desk: Desk) -> None:
    def numbered(asked: Asked) -> Any:
        number = len(model.asked)
        return REFUNDED | {"response": {"order_id": "o1", "status": "refunded", "number": number}}

    async def rush() -> list[SimulationResult]:
        question = desk.question_of_refund()
        return await asyncio.gather(*(desk.engine.answer(question) for _ in range(5)))

    with ModelServer(numbered) as model:
        desk.set(model)
        answered = desk.org.platform.do(rush())
        assert {each.source for each in answered} == {"odyssey"}
        assert rows(desk) == 1
        asked = len(model.asked)
        kept = desk.refund()
        assert len(model.asked) == asked
    assert kept.response in [each.response for each in answered]


def test_of_two_answers_the_first_stays(desk: Desk) -> None:
    cache = AnswerCache(desk.org.platform.database, utc_now)

    async def keep_two() -> KeptAnswer | None:
        await cache.keep(desk.org_id, "k" * 64, KeptAnswer("first", (SetFlag("a"),), 0.7))
        await cache.keep(desk.org_id, "k" * 64, KeptAnswer("second", (), 0.5))
        return await cache.find(desk.org_id, "k" * 64)

    assert desk.org.platform.do(keep_two()) == KeptAnswer("first", (SetFlag("a"),), 0.7)
