"""Engines that run consultations: in this process, in several processes, or on a Ray cluster."""
