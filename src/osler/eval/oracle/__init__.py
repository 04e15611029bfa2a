"""A small reader of patients' replies for measures without a model: negation, people, values, things by their names.

It is made for measuring alone and tested against labelled replies (`tests/agents/replies`). Nothing of it decides what
a patient may say.
"""
