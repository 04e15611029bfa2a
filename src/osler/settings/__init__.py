"""The settings of a run, declared once. See `groups` for the list of them.

Four words, from the declaration to the value:

- `SettingsGroup` (`groups`): a class with one field for each setting, which stand together in the
  help. `RunSettings` (`run_settings`) is all groups together; an instance holds the values.
- `Setting` (`declaration`): what is written beside a field: its help, its limits, what it decides.
- `Declared` (`declared`): a whole setting as the rest reads it: the `Setting` with the name, type,
  default and group of its field.
- `Choice` (`choice`): what one call asked for: a `RunSettings`, and the axes.

A setting of which several values can be given is one of three:

- A list that is one value, such as `cases`: its type is a tuple (`is_list`), and columns are alike
  in it.
- What a doctor is made of (`in_column`): `backbones`, `strategies`, `memories`, `experience`. It is
  a list as well, and there is a column for each combination, which always names them.
- An axis (`axis`): one value in a run, as a rule. Given more than once, there is a column for each
  value as well, and only then do columns name it, as a variant.

`takes_several` is true of all three.

Nothing is imported here: the command line reads `declaration` without loading pydantic.
"""
