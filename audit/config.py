"""The config file: what would be typed on the command line every night.

    db = "/var/lib/catwalk/audit.duckdb"     # of every command that has --db

    [audit]                                  # of one command: its options by their long names
    inputs = ["/data/shoes", "/data/bets"]
    mapping = "/etc/catwalk/vendor.toml"
    jobs = 4

What is typed comes before what stands here.
"""

from collections.abc import Collection, Mapping
from pathlib import Path

import click

from audit.errors import BadInput
from audit.toml_section import did_you_mean, read_toml

Settings = Mapping[str, object]
EVERYWHERE = ("db",)


class BadConfig(BadInput):
    """A config file that cannot be used."""


def load_config(path: Path, commands: Collection[str]) -> Settings:
    """Read a config file, refusing what belongs to no command."""
    try:
        text = path.read_text("utf-8-sig")
    except OSError as problem:
        raise BadConfig(f"{path} cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise BadConfig(f"{path} cannot be read: it is not UTF-8 text") from None
    settings = read_toml(text, str(path), BadConfig)
    for name, value in settings.items():
        if name in commands and not isinstance(value, dict):
            raise BadConfig(f"{path}: {name} is a command, write it as [{name}]")
        if name not in commands and name not in EVERYWHERE:
            hint = did_you_mean(name, [*commands, *EVERYWHERE])
            raise BadConfig(f"{path} has {name}, which is neither a command nor db{hint}")
    return settings


def defaults_for(
    command: click.Command, name: str, settings: Settings, path: Path
) -> dict[str, object]:
    """Give what the config file says about the parameters of one command."""
    known = {_typed_as(parameter): parameter for parameter in command.params}
    given: dict[str, object] = {
        key: settings[key] for key in EVERYWHERE if key in settings and key in known
    }
    own = settings.get(name, {})
    if isinstance(own, dict):
        given |= own
    defaults: dict[str, object] = {}
    for key, value in given.items():
        if key not in known:
            hint = did_you_mean(key, known)
            raise BadConfig(f"{path}, [{name}] has {key}, which is no option of it{hint}")
        parameter = known[key]
        if isinstance(value, dict) or (isinstance(value, list) and not _takes_several(parameter)):
            raise BadConfig(f"{path}, [{name}]: {key} takes one value")
        several = _takes_several(parameter) and not isinstance(value, list)
        if parameter.name is not None:
            defaults[parameter.name] = [value] if several else value
    return defaults


def _takes_several(parameter: click.Parameter) -> bool:
    return parameter.nargs != 1 or parameter.multiple


def _typed_as(parameter: click.Parameter) -> str:
    """Give the name that stands on the command line, without its dashes."""
    longest = max((*parameter.opts, ""), key=len)
    return longest.lstrip("-")
