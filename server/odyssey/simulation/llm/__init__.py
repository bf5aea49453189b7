"""The engine that lets a language model answer for a tool."""

from odyssey.simulation.llm.engine import LlmEngine, ModelQuestion

__all__ = ["LlmEngine", "ModelQuestion"]
