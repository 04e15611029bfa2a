"""Hold simulated patients beside interviews with people: `osler validate`."""
