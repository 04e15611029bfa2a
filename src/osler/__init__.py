"""Osler: clinical consultations between agents, simulated, remembered and scored."""

__version__ = "0.1.0"
