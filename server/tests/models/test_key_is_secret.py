"""The key of a model, planted and searched for: its server repeats it in every way, and it comes out nowhere."""

import threading
from pathlib import Path
from typing import Any

import httpx
from support.agents import Dispatched, ScriptedAgent, final
from support.model_server import Asked, ModelServer, Raw, answers
from support.process import ServerProcess

PLATFORM_KEY = "pk_live_" + "5ec2e7" * 6 + "beef"
KEY = "sk-canary-of-the-judge-0123456789"
RUBRIC = [{"id": "done", "question": "Done?", "answer": "yes_no"}]


def test_the_key_is_found_in_no_log_database_or_answer(tmp_path: Path) -> None:
    done = threading.Event()

    def repeat(asked: Asked) -> Any:
        given = answers(asked)
        given["answers"]["done"]["reason"] = f"You sent {asked.headers['authorization']}"
        return given

    echo = b'{"error": {"message": "bad key \\u0073k-canary-of-the-judge-0123456789"}}'
    model = ModelServer(Raw(401, echo), Raw(400, f"<p>{KEY}</p>".encode()), repeat)

    def behave(_: Dispatched) -> Any:
        done.set()
        return final()

    agent = ScriptedAgent(behave)
    server = ServerProcess(
        "--data", str(tmp_path), ODYSSEY_BOOTSTRAP_API_KEY=PLATFORM_KEY, ODYSSEY_LOG_LEVEL="debug"
    )
    answers_seen = ""
    with httpx.Client(
        base_url=server.url, headers={"X-API-Key": PLATFORM_KEY}, trust_env=False, timeout=30
    ) as client:
        for body in (model.settings(api_key=KEY), model.settings(api_key=KEY, model="")):
            answers_seen += client.put("/api/settings", json=body).text
        body = {"name": "a", "config": {"endpoint_url": agent.url}}
        agent_id = client.post("/api/agents", json=body).json()["id"]
        client.post(f"/api/agents/{agent_id}/publish")
        for _ in range(3):
            seeds = [{"user_instruction": "Do it.", "rubric": RUBRIC}]
            started = client.post("/api/runs", json={"agent_id": agent_id, "seeds": seeds}).json()
            run_id = started["runs"][0]["id"]
            while (run := client.get(f"/api/runs/{run_id}")).json()["verdict"] == "PENDING":
                client.get("/health")
            answers_seen += run.text + client.get(f"/api/runs/{run_id}/trace").text
        for path in ("/api/settings", "/api/audit-log", "/api/runs"):
            answers_seen += client.get(path).text
    assert server.stop() == 0
    agent.stop()
    model.stop()
    assert done.is_set()
    assert [asked.headers["authorization"] for asked in model.asked] == [f"Bearer {KEY}"] * 3
    stored = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"[redacted]" in stored
    assert "[redacted]" in answers_seen
    for found in ("".join(server.log), answers_seen, stored.decode("latin-1")):
        assert KEY not in found
