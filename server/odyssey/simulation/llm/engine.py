"""The llm engine: a model answers for a tool, and nothing it says is taken on trust.

Its answer is read strictly, held against the output schema and the world like that of any engine, and asked for again
with what was wrong with it. Whatever fails is an answer of source `error` that says why.
"""

import asyncio
import time
from typing import NamedTuple

import msgspec

from odyssey.models.chat import Bill, ChatModel, Completion, ModelError, ModelUnavailableError
from odyssey.models.roles import (
    ModelParts,
    has_simulator_model,
    is_known_without_simulator,
    simulator_model,
)
from odyssey.records.json_schema import CompiledSchema
from odyssey.records.ledger import Add, ConsistencyMode, Operation, Remove, Update, Violation
from odyssey.records.problems import FieldError
from odyssey.records.tools import CacheUse
from odyssey.simulation.consistency.knowledge import CallMeaning
from odyssey.simulation.engine import Answer, EngineName, Reading, ToolCall
from odyssey.simulation.llm.cache import AnswerCache, KeptAnswer, question_key
from odyssey.simulation.llm.form import answer_schema, is_refusal, operations_schema, read_answer
from odyssey.simulation.llm.prompt import behaviour_lines, build_prompt, is_about
from odyssey.simulation.llm.relevant import RelevantEntities, find_relevant
from odyssey.simulation.simulate import (
    Attempt,
    ModelUse,
    Outage,
    SimulationResult,
    accept,
    check_attempt,
    fail,
    fail_with,
)
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger

CONFIDENCES = (0.7, 0.6, 0.5)
"""Of an answer accepted at the first, second and third attempt."""

_ACTS: dict[type, str] = {Add: "create", Update: "update", Remove: "remove"}
_MOST_FAULTS = 8
_NOT_SET = (
    "No simulator model is set; an admin names one under Settings (models.simulator), "
    "or choose another engine for this tool."
)
_NOT_KEPT = (
    "The cache holds no answer for this call on this world, and the run allows no other (simulator_cache: require). "
    "Run it once with simulator_cache: use."
)


class ModelQuestion(NamedTuple):
    call: ToolCall
    world: Ledger
    output_schema: CompiledSchema | None
    mode: ConsistencyMode
    behaviour: str
    org_id: int
    run_id: int | None
    cache: CacheUse = "use"


class LlmEngine:
    """The simulator model of whichever org asks. It opens its own short transactions: hold none meanwhile."""

    name: EngineName = "llm"

    def __init__(self, models: ModelParts) -> None:
        self._models = models
        self._cache = AnswerCache(models.database, models.clock)
        self._world = WorldEngine()

    async def is_set(self, org_id: int) -> bool:
        return await has_simulator_model(self._models, org_id)

    def is_known_unset(self, org_id: int) -> bool:
        """Whether nobody needs to ask whether there is a model: there was none just now."""
        return is_known_without_simulator(self._models, org_id)

    async def answer(self, question: ModelQuestion) -> SimulationResult:
        """Answer from the cache or by the model; whatever goes wrong is said in the answer."""
        model = await simulator_model(self._models, question.org_id, run_id=question.run_id)
        if model is None:
            return fail_with(_NOT_SET)
        if question.cache == "forbid":
            return await self._ask(model, question)
        key = await asyncio.to_thread(
            question_key, model, question.call, question.world, question.behaviour
        )  # it hashes the world, and a large one takes its time the first time
        kept = await self._kept(model, question, key)
        if kept is not None:
            return kept
        if question.cache == "require":
            return fail_with(_NOT_KEPT)
        simulated = await self._ask(model, question)
        if simulated.validation is not None and not _contradicts(question, simulated):
            await self._cache.keep(question.org_id, key, _to_keep(simulated))
        return simulated

    async def _kept(self, model: ChatModel, question: ModelQuestion, key: str) -> SimulationResult | None:
        """The kept answer, if it stands up to what this run asks of answers.

        One that contradicts the world, kept before the checks saw that much, gives way to the next that does not.
        """
        started = time.perf_counter()
        kept = await self._cache.find(question.org_id, key)
        if kept is None:
            return None
        attempt = _check(question, kept)
        if attempt.violations or (question.mode == "off" and _find_contradictions(question, kept)):
            await self._cache.drop(question.org_id, key)
            return None
        if not attempt.is_accepted(question.mode):
            return None
        use = ModelUse(model.provider, model.model, 0, 0, 0, 0.0, _ms_since(started), cached=True)
        return accept(attempt, self.name, 1, question.output_schema, kept.confidence, use)

    def _relevant(self, question: ModelQuestion) -> RelevantEntities:
        """Find what the model is to see of the world; looking up in a large one takes its time the first time."""
        call, world = question.call, question.world
        read = self._world.answer(call, world)
        return find_relevant(call, world, read, f"{call.tool.description}\n{question.behaviour}")

    async def _ask(self, model: ChatModel, question: ModelQuestion) -> SimulationResult:
        call, world = question.call, question.world
        bill, started = Bill(), time.perf_counter()

        def use() -> ModelUse:
            return _use(model, bill, started)

        relevant = await asyncio.to_thread(self._relevant, question)
        operations = operations_schema(call, world, relevant.types, only_looks=_only_looks(question))
        schema = answer_schema(call.tool.output_schema, operations)
        last: tuple[str, list[str]] | None = None
        attempt: Attempt | None = None
        for confidence in CONFIDENCES:
            prompt = build_prompt(call, world, question.behaviour, relevant, last=last)
            try:
                completion = await model.complete(
                    system=prompt.system,
                    user=prompt.user,
                    schema=schema,
                    max_output_tokens=model.max_output_tokens,
                )
            except ModelError as error:
                bill.add_failure(error)
                told = msgspec.structs.replace(use(), error=error.message)
                failed = fail_with(f"The simulator model gave no answer ({error.outcome}).", told)
                return failed._replace(outage=_outage(error))
            bill.add(completion)
            attempt, faults = _try(question, completion, confidence)
            if attempt is not None and not faults:
                return accept(attempt, self.name, bill.attempts, question.output_schema, confidence, use())
            last = (completion.text, faults)
        return _given_up(attempt, use(), last[1] if last else [])


def _try(
    question: ModelQuestion, completion: Completion, confidence: float
) -> tuple[Attempt | None, list[str]]:
    """What came of one answer, and what speaks against it; no attempt if it is not in form."""
    if completion.value is None:
        return None, ["the answer is not JSON, or it was cut off before its end: write less"]
    read = read_answer(completion.value)
    if read.errors:
        return None, [_in_words(error) for error in read.errors]
    attempt = _check(question, KeptAnswer(read.response, read.operations, confidence))
    faults = [_in_words(error, "response") for error in attempt.errors]
    if question.mode == "strict":
        faults += [violation.message for violation in attempt.violations]
    return attempt, faults[:_MOST_FAULTS]


def _check(question: ModelQuestion, given: KeptAnswer) -> Attempt:
    count = len(given.operations)
    answer = Answer(
        given.response,
        given.operations,
        given.confidence,
        is_refusal(given.response),
        f"answered by a model, which proposed {count} change{'' if count == 1 else 's'}",
        _reading(question, given.operations),
        _has_behaviour(question),
        evidence="model",
    )
    return check_attempt(question.call, answer, question.world, question.output_schema, question.mode)


def _contradicts(question: ModelQuestion, simulated: SimulationResult) -> bool:
    """Whether an answer contradicts the world; a run that has its answers unchecked has this one checked as well."""
    if question.mode != "off":
        return bool(simulated.violations)
    return bool(_find_contradictions(question, _to_keep(simulated)))


def _find_contradictions(question: ModelQuestion, given: KeptAnswer) -> tuple[Violation, ...]:
    return _check(question._replace(mode="warn"), given).violations


def _only_looks(question: ModelQuestion) -> bool:
    """Whether a tool is one that looks by its name, and no line of behaviour says more of it."""
    meant = CallMeaning(question.call, Answer(None), question.world)
    return meant.act == "look" and not _has_behaviour(question)


def _has_behaviour(question: ModelQuestion) -> bool:
    tool = question.call.tool.name
    return any(is_about(line, tool) for line in behaviour_lines(question.behaviour))


def _reading(question: ModelQuestion, operations: tuple[Operation, ...]) -> Reading | None:
    """What a call did, where a line of behaviour may make more of it than its name says; else its name says it."""
    if not operations or not _has_behaviour(question):
        return None
    written = next((each for each in operations if isinstance(each, Add | Update | Remove)), None)
    if written is None:
        return Reading("update")
    fields = () if isinstance(written, Remove) else tuple(written.fields)
    return Reading(_ACTS[type(written)], written.entity_type, fields)


def _given_up(attempt: Attempt | None, use: ModelUse, faults: list[str]) -> SimulationResult:
    if attempt is not None:
        return fail(attempt, use.attempts, use)
    said = "; ".join(faults)
    return fail_with(f"The simulator model gave no answer in form in {use.attempts} attempts: {said}.", use)


def _outage(error: ModelError) -> Outage | None:
    if error.absence is None:
        return None
    retry_after_s = error.retry_after_s if isinstance(error, ModelUnavailableError) else None
    return Outage(error.absence, error.own_share, retry_after_s)


def _use(model: ChatModel, bill: Bill, started: float) -> ModelUse:
    return ModelUse(
        provider=model.provider,
        model=model.model,
        attempts=bill.attempts,
        input_tokens=bill.input_tokens,
        output_tokens=bill.output_tokens,
        cost_usd=bill.cost_usd,
        latency_ms=_ms_since(started),
        cached=False,
    )


def _to_keep(simulated: SimulationResult) -> KeptAnswer:
    assert simulated.validation is not None
    return KeptAnswer(simulated.response, simulated.operations, simulated.validation["confidence"])


def _in_words(error: FieldError, *under: str) -> str:
    path = ".".join(map(str, (*under, *error.loc)))
    return f"{path or 'the answer'}: {error.msg}"


def _ms_since(started: float) -> int:
    return round((time.perf_counter() - started) * 1000)
