"""An agent ported in three lines, registered and run once. The tests run this file beside the installed wheels."""

import json
import os
import socket
import threading

import uvicorn
from fastapi import FastAPI

import odyssey
import pipelines.odyssey
from pipelines.odyssey import Client, Envelope, Tool, proxy_call_async, register_dispatch_route, tools_schema
from pipelines.odyssey.client.types import Seed

TOKEN = os.environ["AGENT_TOKEN"]
SEED: Seed = {
    "user_instruction": "What is the status of ord_1?",
    "initial_state": {"order": {"ord_1": {"order_id": "ord_1", "status": "shipped"}}},
    "expected_outcome": "completion",
    "checks": [{"called": {"tool": "get_order"}}, {"final_response": {"contains": "shipped"}}],
}
app = FastAPI()


@register_dispatch_route(app, agent_token_env="AGENT_TOKEN")
async def answer(envelope: Envelope) -> str:
    return f"It is {(await proxy_call_async('get_order', {'order_id': 'ord_1'}))['status']}."


def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    agent_server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    threading.Thread(target=agent_server.run, args=([listener],), daemon=True).start()
    order_id = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}
    with Client() as client:
        agent = client.agents.create_http_agent(
            name="first",
            endpoint_url=f"http://127.0.0.1:{listener.getsockname()[1]}/dispatch",
            auth_token=TOKEN,
            tools_schema=tools_schema([Tool("get_order", "Read one order.", input_schema=order_id)]),
        )
        client.agents.publish(agent["id"])
        run = client.runs.wait(client.runs.start(agent_id=agent["id"], seeds=[SEED])["runs"][0]["id"])
    said = {name: run[name] for name in ("verdict", "final_response")}
    print(json.dumps(said | {"imported_from": [odyssey.__file__, pipelines.odyssey.__file__]}))  # noqa: T201


if __name__ == "__main__":
    main()
