"""A real model judges a run: the path holds with a model that nobody scripted. How well it judges is not asked."""

import asyncio

from support.evidence import call, evidence
from support.small_model import MODEL, small_model

from odyssey.core.addresses import AddressPolicy
from odyssey.core.outbound import OutboundClient
from odyssey.grading.judges.judge import judge
from odyssey.grading.judges.rubric import JudgeReport, read_rubric
from odyssey.models.document import ModelConfig
from odyssey.models.remote import RemoteModel

RUBRIC = read_rubric(
    [
        {"id": "done", "question": "Was the order cancelled?", "answer": "yes_no"},
        {"id": "clear", "question": "Is the answer clear?", "answer": "scale", "required": False},
        {"id": "tone", "question": "What is its tone?", "answer": ["warm", "cold"], "pass": "warm"},
    ]
).rubric


def test_a_real_model_gives_a_typed_report() -> None:
    seen = evidence(
        user_instruction="Cancel order A1.",
        final_response="I have cancelled order A1 for you.",
        calls=(call(2, "cancel_order", {"order_id": "A1"}, response={"status": "cancelled"}),),
    )

    async def ask(base_url: str) -> JudgeReport:
        client = OutboundClient(AddressPolicy(allow_loopback=True))
        config = ModelConfig(
            provider="openai",
            base_url=base_url,
            model=MODEL,
            timeout_s=600,
            input_usd_per_mtok=1.0,
            output_usd_per_mtok=1.0,
        )
        try:
            return await judge(RemoteModel(client, config, None), seen, RUBRIC)
        finally:
            await client.close()

    with small_model() as base_url:
        report = asyncio.run(ask(base_url))
    assert report.state == "answered", report.reason
    assert [one.id for one in report.answers] == ["done", "clear", "tone"]
    assert [type(one.answer) for one in report.answers] == [bool, int, str]
    assert report.score is not None
    assert 0 <= report.score <= 1
    assert report.passed == all(one.passed for one in report.answers if one.id != "clear")
    assert set(report.claimed_actions) <= set(seen.declared_tools)
    assert report.input_tokens > 100
    assert report.cost_usd == (report.input_tokens + report.output_tokens) / 1e6
