"""What all attempts at one answer took together."""

from dataclasses import dataclass

from odyssey.models.chat import Completion, ModelError


@dataclass(slots=True)
class Bill:
    attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0

    def add(self, completion: Completion) -> None:
        self._add(completion.input_tokens, completion.output_tokens, completion.cost_usd)

    def add_failure(self, error: ModelError) -> None:
        usage = error.usage
        self._add(usage.input_tokens if usage else 0, usage.output_tokens if usage else 0, error.cost_usd)

    def _add(self, input_tokens: int, output_tokens: int, cost_usd: float) -> None:
        self.attempts += 1
        self.input_tokens += input_tokens
        self.output_tokens += output_tokens
        self.cost_usd += cost_usd
