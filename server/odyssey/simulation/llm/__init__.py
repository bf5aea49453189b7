"""The engine that lets a language model answer for a tool."""

from odyssey.simulation.llm.engine import LlmEngine, Question

__all__ = ["LlmEngine", "Question"]
