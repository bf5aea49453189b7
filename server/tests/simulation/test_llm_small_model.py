"""A real model of 135 million parameters answers for tools: the path holds, and it cannot calculate."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from support.small_model import MODEL, small_model

from odyssey.core.addresses import AddressPolicy
from odyssey.core.database import Database
from odyssey.core.migrate import migrate
from odyssey.core.outbound import OutboundClient
from odyssey.identity.bootstrap import create_org
from odyssey.identity.keys import MasterKey
from odyssey.identity.vault import Vault
from odyssey.kit.clock import utc_now
from odyssey.models.document import ModelConfig, Models, SettingsDocument
from odyssey.models.models import OrgSettings
from odyssey.models.roles import ModelParts
from odyssey.records.faults import Faults
from odyssey.records.json_schema import compile_schema
from odyssey.records.tools import Tool
from odyssey.runs.repository import charge_run
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.llm import LlmEngine, ModelQuestion
from odyssey.simulation.llm.form import is_refusal
from odyssey.simulation.programs import ProgramEngine, read_program
from odyssey.simulation.simulate import SimulationResult, simulate
from odyssey.worlds.ledger import Ledger

LEFT: dict[str, Any] = {
    "type": "object",
    "properties": {"left": {"type": "integer", "minimum": 0, "maximum": 999_999}},
    "required": ["left"],
    "additionalProperties": False,
}
CHARGED = Tool(
    "get_rest_after_charges",
    {
        "type": "object",
        "properties": {
            "account_id": {"type": "string"},
            "charges": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["account_id", "charges"],
    },
    "Tells what is left in an account when all the charges are taken off its balance.",
    LEFT,
)
PROGRAM = {
    "let": {"account": 'entity("account", args.account_id)'},
    "response": {"left": "= account.balance - sum(args.charges)"},
}
OPENED = 100_003
WORLD = Ledger.boot({"account": {"acc_1": {"account_id": "acc_1", "balance": OPENED}}})
CHARGES = [40_519, 17_648, 5_077]
ORG = 1


@asynccontextmanager
async def engine(folder: Path, model_url: str) -> AsyncIterator[LlmEngine]:
    """An engine whose first org has the real model: without a server around it, which has its limits of time."""
    database = Database(f"sqlite+aiosqlite:///{folder}/small.db")
    await migrate(database)
    model = ModelConfig(
        "openai", model_url, MODEL, timeout_s=600, max_output_tokens=400, input_usd_per_mtok=1
    )
    async with database.write() as session:
        await create_org(session, utc_now, name="Test", admin_email="a@example.com")
        document = SettingsDocument(Models(simulator=model)).stored()
        session.add(OrgSettings(org_id=ORG, document=document, updated_at=utc_now()))
    client = OutboundClient(AddressPolicy(allow_loopback=True))
    vault = Vault(MasterKey("x" * 40), utc_now)
    yield LlmEngine(ModelParts(database, vault, client, utc_now, charge_run))
    await client.close()
    await database.close()


def question(charges: list[int]) -> ModelQuestion:
    arguments = {"account_id": "acc_1", "charges": charges}
    call = ToolCall(CHARGED, arguments, None, random_seed=1, sequence=1)
    return ModelQuestion(call, WORLD, compile_schema(LEFT), "warn", "", ORG, run_id=None)


def by_program(charges: list[int]) -> SimulationResult:
    faults = Faults()
    program = read_program(PROGRAM, faults, tool=CHARGED)
    assert program is not None, faults.found
    asked = question(charges)
    engine = ProgramEngine({CHARGED.name: program})
    return simulate(engine, asked.call, WORLD, asked.output_schema, "strict")


@pytest.mark.full  # of a real model, `make test` asks the judge; the rest of this path is test_llm_engine's
def test_a_real_model_answers_in_form_and_calculates_wrongly_what_a_program_gets_right(
    tmp_path: Path,
) -> None:
    """One charge, then all of them; whether it answers with a number or refuses, the form holds."""
    asked = [question(CHARGES[:1]), question(CHARGES), question(CHARGES)]

    async def ask(url: str) -> list[SimulationResult]:
        async with engine(tmp_path, url) as llm:
            return [await llm.answer(each) for each in asked]

    with small_model() as url:
        one, several, again = asyncio.run(ask(url))
    for done in (one, several):
        assert done.source == "odyssey", done.response
        assert done.validation is not None
        assert (done.validation["engine"], done.operations) == ("llm", ())
        assert compile_schema(LEFT).is_valid(done.response) or is_refusal(done.response)
        assert done.model is not None
        assert (done.model.model, done.model.cached) == (MODEL, False)
        assert done.model.input_tokens > 300
        assert done.model.output_tokens > 5
        assert done.model.cost_usd == pytest.approx(done.model.input_tokens / 1e6)
    assert again.model is not None
    assert (again.model.cached, again.response) == (True, several.response)

    assert by_program(CHARGES[:1]).response == {"left": 59_484}
    assert by_program(CHARGES).response == {"left": OPENED - sum(CHARGES)}
    assert several.response != by_program(CHARGES).response
