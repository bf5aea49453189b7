"""One tool call, from its arguments to the envelope, wherever its answer comes from."""

import asyncio
import time
from typing import NamedTuple

from odyssey.core.errors import OdysseyError
from odyssey.endpoints.registry import Route
from odyssey.endpoints.upstream import NotAnswered
from odyssey.proxy.answering import CallOutcome, ModelAnswer, NeedsModel, ask
from odyssey.proxy.errors import RateLimitedError
from odyssey.proxy.forward import Forward, find_route, hop, record_answer, send
from odyssey.proxy.gate import OUTAGES, check_rate, count_refusal, note_outage, pass_gate
from odyssey.proxy.live_runs import LiveRun
from odyssey.proxy.parts import CallStart, ProxyParts, ProxyRequest
from odyssey.proxy.recording import ProxyCall, ProxyReply
from odyssey.worlds.field_index import LOOKS_AGAIN, IndexMissingError

_PATIENCE = 3
"""How often a model is asked while the run may move on."""


class _AcceptedCall(NamedTuple):
    """A request that passed the gate."""

    run: LiveRun
    arrived: ProxyRequest
    body: bytes
    started: CallStart


async def call_tool(parts: ProxyParts, arrived: ProxyRequest) -> ProxyReply:
    """Serve one call; raises OdysseyError for what is refused, after it was recorded."""
    started = CallStart(parts.clock(), time.perf_counter())
    try:
        run, body = await pass_gate(parts, arrived)
        accepted = _AcceptedCall(run, arrived, body, started)
        tool = run.agent.tools.get(arrived.address.name)
        if tool is None or not tool.is_live:
            return await _serve(parts, accepted)
        route = await find_route(parts, run, tool.tool)
        return await parts.hops.see_through(_serve(parts, accepted, route))
    except OUTAGES:
        note_outage(parts, arrived)
        raise


async def _serve(
    parts: ProxyParts, accepted: _AcceptedCall, route: Route | NotAnswered | None = None
) -> ProxyReply:
    run = accepted.run
    async with run.lock:
        settled = await _settle(parts, accepted, route)
    if isinstance(settled, NeedsModel):
        return await _serve_by_model(parts, accepted, settled)
    if isinstance(settled, ProxyReply):
        return settled
    forwarded = await hop(settled)
    async with run.lock:
        return await record_answer(settled, forwarded)


async def _serve_by_model(parts: ProxyParts, accepted: _AcceptedCall, waiting: NeedsModel) -> ProxyReply:
    """Let a model answer while other calls go on; what it says of a world that has changed meanwhile is asked anew."""
    run = accepted.run
    for _ in range(_PATIENCE):
        told = await _ask(parts, run, waiting)
        async with run.lock:
            settled = await _settle(parts, accepted, told=told)
        if isinstance(settled, ProxyReply):
            return settled
        assert isinstance(settled, NeedsModel)
        waiting = settled
    async with run.lock:  # the run moves faster than the model answers: now it waits
        while True:
            settled = await _settle(parts, accepted, told=await _ask(parts, run, waiting))
            if isinstance(settled, ProxyReply):
                return settled
            assert isinstance(settled, NeedsModel)
            waiting = settled


async def _ask(parts: ProxyParts, run: LiveRun, waiting: NeedsModel) -> ModelAnswer:
    return await ask(parts.llm, waiting, org_id=run.org_id, run_id=run.token.run_id, cache=run.cache)


def _without_model(parts: ProxyParts, run: LiveRun, waiting: NeedsModel) -> CallOutcome | NeedsModel:
    """Take the world's own answer at once where it will do and the org is known to have no model: most have none."""
    otherwise = waiting.undecided.otherwise
    if otherwise is None or not parts.llm.is_known_unset(run.org_id):
        return waiting
    return waiting.answered(otherwise)


async def _settle(
    parts: ProxyParts,
    accepted: _AcceptedCall,
    route: Route | NotAnswered | None = None,
    told: ModelAnswer | None = None,
) -> ProxyReply | Forward | NeedsModel:
    """Decide the call until the journal has it: its answer, or that it goes out; or until a model must be asked."""
    run, arrived, body, started = accepted
    while True:
        call = ProxyCall(parts, run, arrived, body, started)
        LOOKS_AGAIN.set(True)
        try:
            check_rate(parts, run, arrived)
            decided = call.decide()
            if isinstance(decided, NeedsModel):
                decided = _without_model(parts, run, decided) if told is None else told.settle(decided)
        except IndexMissingError as missing:
            await asyncio.to_thread(missing.build)
            continue
        except RateLimitedError as refusal:
            await count_refusal(parts, run, arrived, refusal)
            raise
        except OdysseyError as refusal:
            if await call.record_refusal(refusal):
                raise
        else:
            if isinstance(decided, NeedsModel):
                return decided
            settled: ProxyReply | Forward | None = (
                await call.record(decided)
                if isinstance(decided, CallOutcome)
                else await send(call, decided, route)
            )
            if settled is not None:
                return settled
        await parts.live_runs.bring_up_to_date(run)
