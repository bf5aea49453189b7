"""One attempt at one run: open it, dispatch, record. Nothing here decides who owns the run."""

import logging
from datetime import timedelta
from typing import Any, NamedTuple

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgent, CompiledAgents
from odyssey.agents.secrets import open_secret, origin_of
from odyssey.core.database import Database
from odyssey.core.scheduling import Command, Finish
from odyssey.core.signals import Signals
from odyssey.dispatch import envelope
from odyssey.dispatch.classify import Failure
from odyssey.dispatch.envelope import Dispatch
from odyssey.dispatch.reply import AgentReply
from odyssey.dispatch.transport import Transport
from odyssey.identity.run_tokens import mint_run_token
from odyssey.identity.vault import UnsealError, Vault
from odyssey.journal.events import append_event, head_of, lock_run
from odyssey.journal.injections import read_injection
from odyssey.journal.models import RunContext
from odyssey.kit.clock import Clock
from odyssey.runs.models import Run, Task
from odyssey.runs.repository import find_run_unscoped, get_task, load_work
from odyssey.runs.states import RunStates
from odyssey.runs.verdicts.grade_run import Judge

log = logging.getLogger(__name__)

_TOKEN_GRACE = timedelta(seconds=30)
_NO_JUDGE = (
    "The row has a rubric, which only a judge can answer, and this org has no judge model. "
    "Set one in the settings (PUT /api/settings, models.judge), or leave the rubric out."
)


class Parts(NamedTuple):
    """What performing an attempt needs; made once by the composition root."""

    database: Database
    agents: CompiledAgents
    vault: Vault
    transport: Transport
    states: RunStates
    judge: Judge
    signals: Signals
    clock: Clock
    proxy_base: str


async def perform(parts: Parts, run_id: int, owner: str, attempt: int) -> None:
    outcome: AgentReply | Failure
    try:
        dispatch = await _open(parts, run_id, owner, attempt)
        if dispatch is None:
            return
        outcome = dispatch if isinstance(dispatch, Failure) else await parts.transport.dispatch(dispatch)
    except UnsealError as error:
        outcome = Failure("internal_error", str(error))
    except Exception:
        log.exception("attempt failed", extra={"run_id": run_id, "attempt": attempt})
        outcome = Failure("internal_error", "Odyssey failed while executing this run; the log has the place.")
    await _close(parts, run_id, owner, attempt, outcome)


async def _open(parts: Parts, run_id: int, owner: str, attempt: int) -> Dispatch | Failure | None:
    """Mint the token and write down what is about to be sent, before it is sent."""
    async with parts.database.write() as session:
        context = await lock_run(session, run_id)
        assert context is not None
        held = await load_work(session, run_id)
        if (held.status, held.owner, held.attempt) != ("running", owner, attempt):
            return None
        run = await find_run_unscoped(session, run_id)
        task = await get_task(session, run.task_id)
        if task.seed.get("rubric") and not await parts.judge.is_set(session, run.org_id):
            return Failure("agent_model_unresolved", _NO_JUDGE)
        agent = await parts.agents.get(session, run.agent_id, run.agent_version)
        dispatch = await _compose(parts, session, run, task, agent, attempt, _system_injection(context))
        run.started_at = run.started_at or parts.clock()
        append_event(
            session,
            parts.signals,
            run_id=run_id,
            sequence=await head_of(session, run_id) + 1,
            attempt=attempt,
            kind="dispatch",
            occurred_at=parts.clock(),
            data={
                "url": dispatch.endpoint_url,
                "header_names": envelope.header_names(dispatch),
                "body": msgspec.Raw(envelope.body(dispatch)),
            },
        )
    log.info("dispatch", extra={"run_id": run_id, "attempt": attempt, "jti": dispatch.run_token_jti})
    return dispatch


async def _compose(
    parts: Parts,
    session: AsyncSession,
    run: Run,
    task: Task,
    agent: CompiledAgent,
    attempt: int,
    system_injection: str | None,
) -> Dispatch:
    config = agent.config
    assert config.endpoint_url is not None
    minted = mint_run_token(
        session,
        org_id=run.org_id,
        run_id=run.id,
        attempt=attempt,
        expires_at=parts.clock() + timedelta(seconds=config.run_timeout_s) + _TOKEN_GRACE,
    )
    secret = await open_secret(
        session, parts.vault, org_id=run.org_id, agent_id=run.agent_id, origin=origin_of(config.endpoint_url)
    )
    return Dispatch(
        task_id=run.task_id,
        run_id=run.id,
        agent_id=run.agent_id,
        attempt=attempt,
        user_instruction=task.seed["user_instruction"],
        input=task.seed["input"],
        odyssey_proxy_url=f"{parts.proxy_base}/runs/{run.id}",
        run_token=minted.token,
        run_token_jti=minted.jti,
        endpoint_url=config.endpoint_url,
        auth_header=(config.auth_header_name, secret) if config.auth_header_name and secret else None,
        run_timeout_s=config.run_timeout_s,
        response_contract_guard=config.response_contract is not None,
        system_injection=system_injection,
    )


def _system_injection(context: RunContext) -> str | None:
    injection = read_injection(context.injection)
    return injection.text if injection is not None and injection.delivery == "system" else None


async def _close(parts: Parts, run_id: int, owner: str, attempt: int, outcome: AgentReply | Failure) -> None:
    """Record the result if this attempt still holds the run; a late one is dropped."""
    status = "failed" if isinstance(outcome, Failure) else "completed"
    async with parts.database.write() as session:
        await lock_run(session, run_id)
        run = await find_run_unscoped(session, run_id)
        result = _result(run, outcome)
        finish = Finish(owner=owner, attempt=attempt, status="failed" if status == "failed" else "completed")
        taken = await parts.states.take(session, run_id, finish, **result)
        if taken is None or Command.RECORD not in taken.commands:
            log.info("late result dropped", extra={"run_id": run_id, "attempt": attempt})
            return
        append_event(
            session,
            parts.signals,
            run_id=run_id,
            sequence=await head_of(session, run_id) + 1,
            attempt=attempt,
            kind="reply",
            occurred_at=parts.clock(),
            data=_reply_data(outcome),
        )
    log.info("run ended", extra={"run_id": run_id, "attempt": attempt, "status": status})


def _result(run: Run, outcome: AgentReply | Failure) -> dict[str, Any]:
    reply = outcome.reply if isinstance(outcome, Failure) else outcome
    values: dict[str, Any] = {}
    if reply is not None:
        values |= {
            "final_response": reply.final_response,
            "messages": reply.messages,
            "reply_metadata": reply.metadata,
            "soft_warnings": [*run.soft_warnings, *reply.soft_warnings],
        }
    if isinstance(outcome, Failure):
        error = {"detail": outcome.detail, "http_status": outcome.http_status}
        values |= {"error_class": outcome.error_class, "error_json": error}
    return values


def _reply_data(outcome: AgentReply | Failure) -> dict[str, Any]:
    if isinstance(outcome, AgentReply):
        return {"body": msgspec.Raw(outcome.raw.encode("utf-8")), "soft_warnings": outcome.soft_warnings}
    data: dict[str, Any] = {
        "error_class": outcome.error_class,
        "detail": outcome.detail,
        "http_status": outcome.http_status,
    }
    if outcome.evidence is not None:
        data["evidence"] = outcome.evidence
    if outcome.reply is not None:
        data["body"] = msgspec.Raw(outcome.reply.raw.encode("utf-8"))
    return data
