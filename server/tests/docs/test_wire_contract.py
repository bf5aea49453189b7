"""The page of the wire contract: what cites it finds its place there, its examples are what the product speaks, and
what it calls not built is not there yet.
"""

import json
import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import jsonschema_rs
import pytest

from odyssey.agents.config import (
    DEFAULT_RUN_TIMEOUT_S,
    MAX_RUN_TIMEOUT_S,
    read_auth_header_value,
    read_config,
)
from odyssey.agents.ledger_adapters import check_adapters
from odyssey.agents.ledger_schema import MAX_ENTITIES, MAX_FIELDS, read_ledger_schema
from odyssey.agents.schemas import AgentIn
from odyssey.agents.tools_schema import MAX_TOOLS, read_tools_schema
from odyssey.api.edges import BODY_CAPS, DEFAULT_CAP
from odyssey.batches.schemas import RunsIn
from odyssey.core.errors import problem
from odyssey.core.outbound import MAX_BODY_BYTES as MAX_REPLY
from odyssey.core.scheduling import MAX_ATTEMPTS
from odyssey.core.settings import Settings
from odyssey.core.wire import packed
from odyssey.dispatch import envelope
from odyssey.dispatch.classify import MAX_DETAIL
from odyssey.dispatch.reply import (
    AGENT_RESPONSE_SCHEMA,
    MAX_FINAL_RESPONSE,
    parse_reply,
    violates_rich_contract,
)
from odyssey.dispatch.transport import PING_TIMEOUT_S
from odyssey.evals.match import read_expected
from odyssey.evals.scenarios.schemas import ScenarioIn
from odyssey.evals.variations.catalogue import CATALOGUE
from odyssey.grading.checks import MAX_CHECKS, read_checks
from odyssey.kit.clock import read_rfc3339
from odyssey.kit.json_reader import MAX_DEPTH, read_json
from odyssey.kit.pagination import DEFAULT_LIMIT, MAX_LIMIT
from odyssey.kit.redaction import Redaction
from odyssey.library.datasets.columns import COLUMNS, MAX_BYTES, MAX_ROWS
from odyssey.library.seeds import read_seeds
from odyssey.matrices.schemas import MatrixIn
from odyssey.proxy import errors as proxy_errors
from odyssey.proxy.answering import MAX_RESPONSE_BYTES
from odyssey.proxy.errors import ArgumentsInvalidError
from odyssey.proxy.parts import MAX_BODY_BYTES, TRACE_LIMIT
from odyssey.proxy.trace_events import EVENT_TYPES
from odyssey.records.error_classes import OWN_FAILURES, ErrorClass
from odyssey.records.faults import Faults
from odyssey.records.json_schema import MAX_SCHEMA_BYTES, compile_schema
from odyssey.records.problems import MOST_FAULTS, FieldError
from odyssey.runs.opening import TOKEN_GRACE
from odyssey.runs.schemas import EventOut
from odyssey.simulation.rules import MAX_RULES, read_rules
from odyssey.simulation.rules.reading import MAX_LATENCY_MS
from odyssey.worlds.operations import read_operation
from pipelines.odyssey.exchange import ATTEMPTS, LONGEST_WAIT_S

ROOT = Path(__file__).parents[3]
PATH = ROOT / "docs" / "reference" / "wire-contract.md"
PAGE = PATH.read_text("utf-8")
ANCHORS = re.findall(r'^<a id="([\w-]+)"></a>$', PAGE, re.MULTILINE)
PARTS = dict(zip(ANCHORS, re.split(r'^<a id="[\w-]+"></a>$', PAGE, flags=re.MULTILINE)[1:], strict=True))
EXAMPLES = dict(re.findall(r"^```json (\S+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE))
MIB = 1024 * 1024


@cache
def openapi() -> Any:
    return json.loads((ROOT / "openapi.json").read_text("utf-8"))


def table(part: str) -> list[list[str]]:
    """The rows of a part's first table, without its head."""
    rows = [line for line in PARTS[part].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in rows[2:]]


def words(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


# Who cites the page

CITATION = re.compile(r"wire-contract\.md#([\w-]+)")
OTHER_CITATION = re.compile(
    r"\bcontract,? (?:section )?[A-Z]?\d|\bsections? \d|§ ?\d|\breliability [A-Z]\d|\bpart [123] of the contract"
)
NUMBER = re.compile(r"\b[DE]\d{1,2}\b")
LINKED_NUMBER = re.compile(r"\[([DE]\d{1,2})\]\([^)\s]*wire-contract\.md#(?i:\1)\)")
OUTSIDE = re.compile(r"\.\./shared\b|\bshared/(?:contract|seeds|data|style)\b")

SUFFIXES = {"", ".py", ".md", ".ts", ".tsx", ".mjs", ".css", ".toml", ".yaml", ".txt", ".template"}
NOT_OURS = {"node_modules", "__pycache__", "static", "recorded", "dist", "build"}
BENCHMARKS = ROOT / "benchmarks"  # may measure on data that lies beside the checkout


def own_files() -> Iterator[Path]:
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [each for each in folders if each == ".ci" or not each.startswith(".")]
        folders[:] = [each for each in folders if each not in NOT_OURS]
        yield from (Path(folder, name) for name in files if Path(name).suffix in SUFFIXES)


@cache
def texts() -> dict[Path, str]:
    """All that is written in the repository, but for the page and this file."""
    return {path: path.read_text("utf-8") for path in own_files() if path not in (PATH, Path(__file__))}


def other_citations(text: str, *, is_prose: bool) -> list[str]:
    """What names a place of the contract without leading there."""
    found = OTHER_CITATION.findall(text)
    return found + NUMBER.findall(LINKED_NUMBER.sub("", text)) if is_prose else found


def test_every_citation_finds_its_place() -> None:
    cited = {(anchor, path) for path, text in texts().items() for anchor in CITATION.findall(text)}
    assert len(cited) > 30
    assert {(anchor, path) for anchor, path in cited if anchor not in ANCHORS} == set()


def test_the_page_leads_to_its_own_places() -> None:
    assert len(set(ANCHORS)) == len(ANCHORS)
    assert set(re.findall(r"\]\(#([\w-]+)\)", PAGE)) <= set(ANCHORS)
    for number, anchor in re.findall(r"\[([DEB]\d+|\d+(?:\.\d+)?)\]\(#([\w-]+)\)", PAGE):
        assert anchor in (number.lower(), f"section-{number.replace('.', '-')}")


def test_nothing_cites_the_contract_in_another_way() -> None:
    found = {path: other_citations(text, is_prose=path.suffix == ".md") for path, text in texts().items()}
    assert {path: cited for path, cited in found.items() if cited} == {}


def test_nothing_leads_to_what_lies_beside_the_checkout() -> None:
    assert len(texts()) > 1500
    mine = {path: text for path, text in texts().items() if not path.is_relative_to(BENCHMARKS)}
    assert [path for path, text in mine.items() if OUTSIDE.search(text)] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Agents over HTTP (contract D8).", True),
        ("see the contract, section 12", True),
        ("as D11 says", True),
        ("as [D11](../reference/wire-contract.md#d11) says", False),
        ("as [D11](../reference/wire-contract.md#d1) says", True),
        ("as [D11] says", True),
        ("keeps the wire contract", False),
        ("an order A1 of E-mail", False),
    ],
)
def test_another_way_is_recognised(text: str, found: bool) -> None:
    assert bool(other_citations(text, is_prose=True)) is found


# The examples


def fits(schema: str, value: Any) -> None:
    jsonschema_rs.validate(
        {"$ref": f"#/components/schemas/{schema}", "components": openapi()["components"]}, value
    )


def check_dispatch(value: Any) -> None:
    assert json.loads(envelope.body(dispatched(value))) == value


def dispatched(body: Any) -> envelope.Dispatch:
    return envelope.Dispatch(
        task_id=body["task_id"],
        run_id=body["run_id"],
        agent_id=body["agent_id"],
        attempt=1,
        user_instruction=body["input"]["user_instruction"],
        input=body["input"]["input"],
        odyssey_proxy_url=body["odyssey_proxy_url"],
        run_token="secret",
        run_token_jti=body["run_token_jti"],
        endpoint_url="https://desk.example/dispatch",
        auth_header=None,
        run_timeout_s=300,
    )


def check_reply(value: Any) -> None:
    reply = parse_reply(json.dumps(value).encode(), Redaction())
    assert [each.partition(":")[0] for each in reply.soft_warnings] == ["messages_missing"]
    jsonschema_rs.validate(AGENT_RESPONSE_SCHEMA, value)


def check_rich_reply(value: Any) -> None:
    reply = parse_reply(json.dumps(value).encode(), Redaction())
    assert reply.soft_warnings == []
    assert reply.metadata == value["metadata"]
    assert not violates_rich_contract(reply)
    jsonschema_rs.validate(AGENT_RESPONSE_SCHEMA, value)


def check_tools(value: Any) -> None:
    tools, faults = read_tools_schema(value)
    ledger_schema, _ = read_ledger_schema(read_json(EXAMPLES["ledger-schema"]))
    assert faults == []
    assert check_adapters(tools, ledger_schema) == []
    members = {name for tool in value for name in tool}
    assert members == {words(row[0])[0] for row in table("section-6")}


def check_arguments(value: Any) -> None:
    tool = read_json(EXAMPLES["tools-schema"])[0]
    assert compile_schema(tool["input_schema"]).is_valid(value)


def check_answer(value: Any) -> None:
    fits("ToolEnvelope", value)
    assert compile_schema(read_json(EXAMPLES["tools-schema"])[0]["output_schema"]).is_valid(value["response"])


def check_problem(value: Any) -> None:
    tool = read_json(EXAMPLES["tools-schema"])[0]
    faults = compile_schema(tool["input_schema"]).errors({})
    refusal = ArgumentsInvalidError([FieldError(each.loc, each.msg, tool["name"]) for each in faults])
    assert problem(refusal) == value
    fits("Problem", value)


def check_agent(value: Any) -> None:
    agent = AgentIn.model_validate(value)
    secret = agent.config.pop("auth_header_value")
    assert read_auth_header_value(secret) == (secret, [])
    assert read_config(agent.config, "http")[1:] == ([], [])
    assert read_tools_schema(agent.tools_schema)[1] == []


def check_runs(value: Any) -> None:
    fits("RunsIn", value)
    assert len(read_seeds(packed(RunsIn.model_validate(value).seeds), None, {})) == len(value["seeds"])


def check_scenario(value: Any) -> None:
    faults = Faults()
    assert read_expected(ScenarioIn.model_validate(value).expected_behavior, faults) is not None
    assert read_checks(value["expected_behavior"]["$calls"]).errors == []
    assert faults.found == []


def check_event(value: Any) -> None:
    fits("EventOut", value)
    fits("ToolEnvelope", EventOut.model_validate(value).data)
    for operation in value["data"]["operations"]:
        read_operation(operation)


def check_matrix(value: Any) -> None:
    fits("MatrixIn", value)
    assert set(MatrixIn.model_validate(value).variation_types) <= CATALOGUE.keys()


CHECKS: dict[str, Callable[[Any], object]] = {
    "dispatch": check_dispatch,
    "ping": lambda value: check_equal(value, read_json(envelope.PING_BODY)),
    "reply": check_reply,
    "rich-reply": check_rich_reply,
    "arguments": check_arguments,
    "answer": check_answer,
    "tools-schema": check_tools,
    "ledger-schema": lambda value: check_equal(read_ledger_schema(value)[1], []),
    "trace-event": lambda value: read_rfc3339(value["__occurred_at"]),
    "trace-event-answer": lambda value: fits("TraceEventAccepted", value),
    "problem": check_problem,
    "failure-rules": lambda value: check_equal(read_rules(value).errors, []),
    "operations": lambda value: [read_operation(each) for each in value],
    "handoff": lambda value: check_equal(list(value), ["from", "to", "reason", "message"]),
    "agent": check_agent,
    "runs": check_runs,
    "event": check_event,
    "checks": lambda value: check_equal(read_checks(value).errors, []),
    "scenario": check_scenario,
    "matrix": check_matrix,
}


def check_equal(found: object, expected: object) -> None:
    assert found == expected


@pytest.mark.parametrize("name", CHECKS)
def test_an_example_is_what_the_product_speaks(name: str) -> None:
    CHECKS[name](read_json(EXAMPLES[name]))


def test_every_example_is_checked() -> None:
    assert EXAMPLES.keys() == CHECKS.keys()
    assert PAGE.count("```json") == len(EXAMPLES)


# The tables


def test_the_headers_are_those_that_are_sent() -> None:
    sent = envelope.headers(dispatched(read_json(EXAMPLES["dispatch"])))
    assert [words(row[0])[0] for row in table("section-2-1")] == list(sent)


def test_the_error_classes_are_those_of_the_code() -> None:
    whose = {words(name)[0]: whose for name, _, whose in table("section-18-1")}
    assert whose.keys() == set(get_args(ErrorClass))
    own = {name for name, said in whose.items() if said == "the agent's"}
    assert own == OWN_FAILURES


def test_what_the_proxy_refuses_is_among_the_errors() -> None:
    page = (ROOT / "docs" / "reference" / "errors.md").read_text("utf-8")
    known = set(re.findall(r"^\| (\d+) \| `(\w+)` \| .* \| (yes|no) \|$", page, re.MULTILINE))
    said = {(status, words(code)[0], retryable) for status, code, _, retryable in table("section-18-2")}
    assert said <= known
    own = {
        each.code
        for each in vars(proxy_errors).values()
        if getattr(each, "__module__", "") == proxy_errors.__name__
    }
    assert own - {"internal_error"} <= {code for _, code, _ in said}


def test_events_columns_and_variations_are_those_of_the_code() -> None:
    assert [words(row[0])[0] for row in table("section-11")] == list(EVENT_TYPES)
    columns = [(words(row[0])[0], words(row[1])[0]) for row in table("section-10")]
    assert columns == [(column.name, column.member) for column in COLUMNS]
    assert all(f"`{name}`" in PARTS["d12"] for name in CATALOGUE)


def test_the_limits_are_those_of_the_code() -> None:
    said = [int(number) for row in table("section-29") for number in row[1].split(", ")]
    seeds = openapi()["components"]["schemas"]["RunsIn"]["properties"]
    assert said == [
        *(DEFAULT_RUN_TIMEOUT_S, MAX_RUN_TIMEOUT_S),
        *(Settings.model_fields["rate_limit"].default, TRACE_LIMIT),
        *(MAX_BODY_BYTES // MIB, MAX_RESPONSE_BYTES // MIB, MAX_REPLY // MIB),
        *(cap // MIB for cap in (*dict.fromkeys(BODY_CAPS.values()), DEFAULT_CAP)),
        MOST_FAULTS,
        *(ATTEMPTS, LONGEST_WAIT_S, MAX_FINAL_RESPONSE, MAX_DETAIL),
        *(MAX_TOOLS, MAX_SCHEMA_BYTES // 1024, MAX_ENTITIES, MAX_FIELDS),
        *(MAX_RULES, MAX_LATENCY_MS, MAX_CHECKS, MAX_ROWS, MAX_BYTES // MIB),
        *(seeds["seeds"]["maxItems"], seeds["repeats"]["maximum"], MAX_ATTEMPTS),
        *(TOKEN_GRACE.total_seconds(), PING_TIMEOUT_S, DEFAULT_LIMIT, MAX_LIMIT, MAX_DEPTH),
    ]


# What is built

ROUTE = re.compile(r"`(GET|POST|PUT|DELETE) (/[\w/{}.-]*)`")


def routes_in(text: str) -> set[tuple[str, str]]:
    found = ROUTE.findall(" ".join(text.split()))  # a line may break within one
    return {(method.lower(), re.sub(r"\{\w+\}", "{}", path)) for method, path in found}


def test_routes_are_served_unless_they_are_not_built_yet() -> None:
    served = {
        (method, re.sub(r"\{\w+\}", "{}", path))
        for path, item in openapi()["paths"].items()
        for method in item
    }
    later = routes_in(PARTS["not-built-yet"])
    assert later
    assert later & served == set()
    assert routes_in(PAGE) - later <= served


def test_what_is_not_built_yet_is_not_there() -> None:
    """Fails when something is built that the page still calls missing: take its row out and say what holds now."""
    names = {
        word
        for row in table("not-built-yet")
        for word in words(row[2])
        if not word.startswith(("GET", "POST"))
    }
    assert len(names) > 10
    server = ROOT / "server" / "odyssey"
    code = [text for path, text in texts().items() if path.is_relative_to(server) and path.suffix == ".py"]
    spoken = {word for text in code for word in re.findall(r"\"(\w+)\"", text)}
    described = set(re.findall(r'"(\w+)"', json.dumps(openapi())))
    settings = {f"ODYSSEY_{name.upper()}" for name in Settings.model_fields}
    assert names & (spoken | described | settings) == set()
