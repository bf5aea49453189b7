"""Copy the framework examples to where `odyssey init` takes them from; a test says when they differ."""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCAFFOLDS = ROOT / "sdk/pipelines/odyssey/cli/scaffolds"
EXAMPLES = {
    "openai-agents": "openai-agents",
    "anthropic": "anthropic",
    "langchain": "langgraph",
    "strands": "strands",
}


def main() -> None:
    for framework, example in EXAMPLES.items():
        for name in ("agent.py", "scripted_model.py"):
            shutil.copyfile(ROOT / "examples" / example / name, SCAFFOLDS / framework / f"{name}.template")
    shutil.copyfile(ROOT / "examples/strands/tasks.csv", SCAFFOLDS / "tasks.csv")


if __name__ == "__main__":
    main()
