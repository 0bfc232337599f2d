"""What `askwell eval asks` is given: which questions, on which databases, with which model and knowledge."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from askwell import __version__
from askwell.config import Config, DataSourceConfig, LlmConfig
from askwell.errors import ConfigurationError, InvalidRequest
from askwell.knowledge.saved import Instruction, SqlPair
from askwell.parts import models_in_use
from askwell.prompts.loader import FOLDER as PROMPTS
from askwell.providers.engine.worker.database_file import kind_of_file
from askwell.providers.engine.worker.outcomes import Unusable
from askwell.services.sql_pair_file import read_pair_file
from askwell_evaluation.questions import read_text

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._-]+")
# They decide how soon answers come, not which.
_THROUGHPUT = {"concurrency", "queue_size"}
_INSTRUCTIONS = (
    "It holds, as YAML or JSON, a list of instructions for all databases, or a map from databases to such lists; each "
    "is a sentence, which holds for all questions, or {instruction, questions, is_default}."
)
_INSTRUCTION = TypeAdapter(Instruction)
# The key of instructions for all databases.
_ALL = ""


@dataclass(frozen=True, slots=True)
class AsksOptions:
    """`databases` is a folder (`<db_id>.sqlite`, or `<db_id>/<db_id>.sqlite` as Spider and BIRD have it) or one file
    that all questions are about; `project` names a data source of the configuration in its place. `max_cost` is in US
    dollars, `out` the results file, `resume` whether to go on with it, and `page` an HTML file for reading; the rest
    is as in evaluation/README.md."""

    questions: Path
    databases: Path | None = None
    project: str | None = None
    mdl: Path | None = None
    instructions: Path | None = None
    sql_pairs: Path | None = None
    limit: int | None = None
    seed: int = 0
    max_cost: float | None = None
    out: Path | None = None
    resume: bool = False
    reply_cache: Path | None = None
    page: Path | None = None

    @property
    def only_database(self) -> str | None:
        """The name of the database that all questions are about; None where each names its own."""
        if self.project is not None:
            return self.project
        if self.databases is not None and self.databases.is_file():
            return _NOT_IN_A_NAME.sub("_", self.databases.stem).lstrip("._-") or "database"
        return None


def configured(
    config: Config, *, has_model: bool, model: str | None, prompts: Path | None, concurrency: int | None
) -> Config:
    """The configuration with what the command line says of it: rules alone, unless `has_model`; all pipelines with one
    `model`, an entry of the llm section, or else another model of the default one's server; a folder of `prompts` in
    place of ours; so many asks at once. Raises `ConfigurationError` for a model without a server."""
    changes: dict[str, Any] = {}
    if not has_model:
        changes |= {"llm": {"default": LlmConfig(provider="none")}, "pipelines": {}}
    if model is not None:
        if model not in config.llm and not config.has_language_model:
            raise ConfigurationError(
                f"No language model is configured, so there is no server for {model}.",
                "Set OPENAI_API_KEY, or llm.default in config.yaml.",
            )
        chosen = config.llm.get(model) or config.llm["default"].model_copy(update={"model": model})
        changes |= {"llm": {"default": chosen}, "pipelines": {}}
    if prompts is not None:
        changes["prompts_path"] = prompts.absolute()
    if concurrency is not None:
        changes["settings"] = config.settings.model_copy(update={"concurrency": concurrency})
    return config.model_copy(update=changes)


def require_bound(max_cost: float, config: Config) -> None:
    """Raises `AskwellError` where a cost cannot be kept to."""
    if max_cost <= 0:
        raise InvalidRequest("--max-cost is in US dollars, and more than 0.", "Leave it out for no bound.")
    for name in models_in_use(config):
        prices = config.llm[name].prices
        if not prices.prompt and not prices.completion:
            raise ConfigurationError(
                f"--max-cost needs the prices of {config.llm[name].model}.",
                f"Set llm.{name}.prices, in US dollars for a million tokens: {{prompt: …, completion: …}}.",
            )


def data_sources(options: AsksOptions, config: Config, db_ids: Iterable[str]) -> dict[str, DataSourceConfig]:
    """The database of each `db_id`. Raises `InvalidRequest` for those that are not there."""
    if options.project is not None:
        source = config.data_source_for(options.project)
        if source is None:
            known = ", ".join(config.data_sources) or "none"
            raise InvalidRequest(
                f"The configuration has no database for the project {options.project}.", f"It has: {known}."
            )
        return {options.project: source}
    if options.databases is None:
        raise InvalidRequest(
            "No database is named.", "Name a folder or a file by --databases, or a project of the configuration."
        )
    if options.only_database is not None:
        return {options.only_database: _file_source(options.databases)}
    places = {db_id: _in_folder(options.databases, db_id) for db_id in dict.fromkeys(db_ids)}
    missing = [db_id for db_id, path in places.items() if path is None]
    if missing:
        more = f" ({len(missing)} databases are missing in all)" if len(missing) > 1 else ""
        raise InvalidRequest(
            f"There is no {options.databases / (missing[0] + '.sqlite')}{more}.",
            "The folder of databases holds <db_id>.sqlite or <db_id>/<db_id>.sqlite for each db_id of the questions.",
        )
    return {db_id: _source("sqlite", path) for db_id, path in places.items() if path is not None}


def about_run(options: AsksOptions, config: Config) -> dict[str, Any]:
    """What a results file says of its run, JSON-ready; files by name and content. It names no address and no secret."""
    settings = config.settings.model_dump(mode="json", exclude=_THROUGHPUT)
    folders = [PROMPTS, config.prompts_path] if config.prompts_path else [PROMPTS]
    return {
        "askwell": __version__,
        "questions": options.questions.name,
        "databases": options.project or (options.databases.name if options.databases else ""),
        "language_models": sorted({config.llm[name].model for name in models_in_use(config)}),
        "prompts": _digest([file for folder in folders for file in sorted(folder.rglob("*.jinja"))]),
        "limit": options.limit,
        "seed": options.seed,
        "mdl": _identity(options.mdl),
        "instructions": _identity(options.instructions),
        "sql_pairs": _identity(options.sql_pairs),
        "settings": settings,
    }


def differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """What two runs do not have in common, in words: `language_models: a | b`. How many questions were taken is left
    out: results are paired question by question."""
    before, after = _flat(first), _flat(second)
    keys = [key for key in dict.fromkeys([*before, *after]) if key not in ("limit", "seed")]
    return [f"{key}: {before.get(key)} | {after.get(key)}" for key in keys if before.get(key) != after.get(key)]


def _flat(run: Mapping[str, Any]) -> dict[str, Any]:
    settings = run.get("settings")
    own = settings if isinstance(settings, dict) else {}
    top = {key: value for key, value in run.items() if key != "settings"}
    return top | {f"settings.{key}": value for key, value in own.items()}


def _identity(path: Path | None) -> str | None:
    if path is None:
        return None
    return f"{path.name} ({_digest(sorted(path.glob('*.json')) if path.is_dir() else [path])})"


def _digest(files: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for file in files:
        found.update(f"{file.name}\n".encode() + file.read_bytes())
    return found.hexdigest()[:12]


def _in_folder(folder: Path, db_id: str) -> Path | None:
    places = (folder / f"{db_id}.sqlite", folder / db_id / f"{db_id}.sqlite")
    return next((path for path in places if path.exists()), None)


def _file_source(path: Path) -> DataSourceConfig:
    try:
        kind = kind_of_file(str(path))
    except Unusable as unusable:
        raise InvalidRequest(f"{path} cannot be read ({unusable.detail or unusable.reason}).", "Check it.") from None
    if kind not in ("sqlite", "duckdb"):
        raise InvalidRequest(f"{path} is no SQLite or DuckDB database.", "Name a database file, or a folder of them.")
    return _source(kind, path)


def _source(engine: str, path: Path) -> DataSourceConfig:
    return DataSourceConfig.model_validate({"engine": engine, "path": path.resolve()})


# ---------------------------------------------------------------- knowledge
@dataclass(frozen=True, slots=True)
class OwnKnowledge:
    """By database: the text of its semantic model, where it is given one; instructions and SQL pairs as `Knowledge`
    saves them. Instructions under "" hold for all."""

    models: Mapping[str, str] = field(default_factory=dict)
    instructions: Mapping[str, Sequence[Instruction]] = field(default_factory=dict)
    pairs: Mapping[str, Sequence[SqlPair]] = field(default_factory=dict)

    def instructions_of(self, db_id: str) -> list[Instruction]:
        """Those for all databases, then its own."""
        return [*self.instructions.get(_ALL, ()), *self.instructions.get(db_id, ())]


def read_own_knowledge(
    databases: Sequence[str], *, mdl: Path | None, instructions: Path | None, sql_pairs: Path | None
) -> OwnKnowledge:
    """Everything that is given for these databases. `mdl` is a file, for the only database, or a folder of
    `<db_id>.json`. Raises `InvalidRequest` for a file that cannot be used, or is about none of the databases."""
    knowledge = OwnKnowledge(
        models=_models(mdl, databases) if mdl else {},
        instructions=_instructions(instructions) if instructions else {},
        pairs=_pairs(sql_pairs) if sql_pairs else {},
    )
    for path, given in ((instructions, knowledge.instructions), (sql_pairs, knowledge.pairs)):
        strangers = sorted(given.keys() - {_ALL, *databases})
        if strangers and len(strangers) == len(given):
            raise InvalidRequest(
                f"{path} is about {', '.join(strangers[:3])}, and the questions are about {', '.join(databases[:3])}.",
                "Its keys are the databases of the questions: a db_id, the project, or the name of the file.",
            )
    return knowledge


def _models(path: Path, databases: Sequence[str]) -> dict[str, str]:
    if path.is_dir():
        found = {db_id: path / f"{db_id}.json" for db_id in databases}
        models = {db_id: read_text(file) for db_id, file in found.items() if file.exists()}
        if not models:
            raise InvalidRequest(f"{path} holds no model of a database that is asked.", "Call each <db_id>.json.")
        return models
    if len(databases) != 1:
        raise InvalidRequest(
            f"--mdl names one model, and the questions are about {len(databases)} databases.",
            "Name a folder of <db_id>.json.",
        )
    return {databases[0]: read_text(path)}


def _pairs(path: Path) -> dict[str, Sequence[SqlPair]]:
    try:
        file = read_pair_file(path)
    except ConfigurationError as error:
        raise InvalidRequest(error.message, error.hint) from error
    if file.problems:
        raise InvalidRequest(
            file.problems[0], f"Correct it, and {len(file.problems) - 1} more." if file.problems[1:] else ""
        )
    return {db_id: [one.pair for one in filed] for db_id, filed in file.pairs.items()}


def _instructions(path: Path) -> dict[str, Sequence[Instruction]]:
    try:
        data = yaml.safe_load(read_text(path))
        lists = data if isinstance(data, dict) else {_ALL: data}
        return {str(db_id): list(_instruction_items(path, entries)) for db_id, entries in lists.items()}
    except yaml.YAMLError as error:
        raise InvalidRequest(f"{path} cannot be read as YAML or JSON.", _INSTRUCTIONS) from error


def _instruction_items(path: Path, entries: Any) -> Iterator[Instruction]:
    if not isinstance(entries, list):
        raise InvalidRequest(f"{path} holds something else than lists of instructions.", _INSTRUCTIONS)
    for number, entry in enumerate(entries):
        one = {"instruction": entry, "is_default": True} if isinstance(entry, str) else entry
        try:
            yield _INSTRUCTION.validate_python({"id": f"given-{number}", **one} if isinstance(one, dict) else one)
        except ValidationError as error:
            field = next(iter(error.errors()[0]["loc"]), None)
            reason = f"its “{field}” is missing or no such thing" if field else "it is neither a text nor an object"
            raise InvalidRequest(f"{path}: instruction {number + 1} cannot be read: {reason}.", _INSTRUCTIONS) from None
