"""Generates the models and the methods of the package from openapi.json, when it is built.

``python generate.py FOLDER`` writes them into a folder, for a look at them.
"""

from __future__ import annotations

import json
import keyword
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).parent
PACKAGE = "taskgraph_client"
GENERATED = ("models.py", "operations.py")
# The client follows changes by an iterator of its own.
HANDWRITTEN_GROUPS = {"changes"}
# The generator of models ignores these for texts: values of answers stay texts.
TEXT_KEYWORDS = ("format", "pattern", "minLength", "maxLength")


class GeneratedCore(BuildHookInterface[Any]):
    """Adds the generated modules to a wheel, and their source to a source distribution."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "sdist":
            build_data["force_include"][str(description_path())] = "openapi.json"
            return
        self.folder = Path(tempfile.mkdtemp())
        generate(self.folder)
        for name in GENERATED:
            build_data["force_include"][str(self.folder / name)] = f"{PACKAGE}/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self.target_name != "sdist":
            shutil.rmtree(self.folder)


def description_path() -> Path:
    """The description of the API: in a source distribution, or in the repository."""
    here = HERE / "openapi.json"
    return here if here.exists() else HERE.parent.parent / "docs" / "api" / "openapi.json"


def generate(folder: Path) -> None:
    document = json.loads(description_path().read_text())
    # A read that POST makes too is a POST: its fields may be long, and do not belong into a URL.
    by_name: dict[str, Call] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            call = Call(method.upper(), path, operation)
            if {"token": []} in operation["security"] and (call.is_by_post or call.identifier not in by_name):
                by_name[call.identifier] = call
    calls = list(by_name.values())
    schemas = dict(document["components"]["schemas"])
    for call in calls:
        schemas[call.fields_name] = call.fields_schema()
    events = batch_events(schemas)
    write_models(schemas, folder / "models.py")
    (folder / "operations.py").write_text(operations_module(calls, events))


def identifier_of(word: str) -> str:
    """The word, with an underscore after a keyword, such as ``import_``."""
    return f"{word}_" if keyword.iskeyword(word) else word


class Call:
    """A call with a token, as a method of its group."""

    def __init__(self, method: str, path: str, operation: dict[str, Any]) -> None:
        self.method, self.path, self.operation = method, path, operation
        self.identifier = operation["operationId"].removesuffix("ByPost")
        self.is_by_post = self.identifier != operation["operationId"]
        words = re.findall(r"[A-Z]?[a-z]+", self.identifier)
        self.group = words[0].lower() if len(words) > 1 else ""
        self.name = identifier_of("_".join(word.lower() for word in words[1:] or words))
        self.fields_name = f"{self.identifier[0].upper()}{self.identifier[1:]}Fields"
        references = [one.get("$ref", "") for one in operation.get("parameters", [])]
        is_command = any(one.endswith("/IdempotencyKey") for one in references)
        self.kind = "command" if is_command else "read" if method == "GET" or self.is_by_post else "action"

    def fields_schema(self) -> dict[str, Any]:
        if "requestBody" in self.operation:
            schema: dict[str, Any] = self.operation["requestBody"]["content"]["application/json"]["schema"]
            return schema
        own = [one for one in self.operation.get("parameters", []) if one.get("in") == "query"]
        properties = {one["name"]: {**one["schema"], "description": one.get("description", "")} for one in own}
        required = [one["name"] for one in own if one["required"]]
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}

    def code(self) -> str:
        answer = self.operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].split("/")[-1]
        options, passed = "", ""
        if self.kind == "command":
            options = "*, idempotency_key: str | None = None, dry_run: bool = False, "
            passed = ", idempotency_key=idempotency_key, dry_run=dry_run"
        return (
            f"    def {self.name}(self, {options}**fields: Unpack[models.{self.fields_name}]) -> models.{answer}:\n"
            f"        {documentation(self.operation['summary'])}\n"
            f"        answer = self._requests.send({self.method!r}, {self.path!r}, fields, {self.kind!r}{passed})\n"
            f"        return cast('models.{answer}', answer)\n"
        )


def batch_events(schemas: dict[str, Any]) -> list[tuple[str, str, bool]]:
    """The operations of a batch: event, name of the payload's model, and whether it creates."""
    mapping = schemas["BatchOperation"]["discriminator"]["mapping"]
    names = {event: reference.split("/")[-1] for event, reference in mapping.items()}
    return [(event, f"{name}Payload", "as" in schemas[name]["properties"]) for event, name in names.items()]


def operations_module(calls: list[Call], events: list[tuple[str, str, bool]]) -> str:
    groups: dict[str, list[str]] = {}
    for call in calls:
        if call.group not in HANDWRITTEN_GROUPS:
            groups.setdefault(call.group, []).append(call.code())
    own = groups.pop("", [])
    batch: dict[str, list[str]] = {}
    for event, payload, creates in events:
        group, _, name = event.partition(":")
        batch.setdefault(group, []).append(batch_method(event, name.replace(":", "_"), payload, creates))
    return "\n".join(
        [
            '"""The calls of the service, and the operations of a batch. Generated from openapi.json."""\n',
            "from __future__ import annotations\n",
            "from typing import TYPE_CHECKING, Any, cast\n",
            "from typing_extensions import Unpack\n",
            "if TYPE_CHECKING:",
            "    from . import models",
            "    from .batch import Batch, Created",
            "    from .requests import Kind, Requests\n",
            "# The kinds of calls, by method and path.",
            "KINDS: dict[tuple[str, str], Kind] = {",
            *[f"    ({call.method!r}, {call.path!r}): {call.kind!r}," for call in calls],
            "}\n",
            *[group_class(f"{name.capitalize()}Calls", "requests: Requests", methods) for name, methods in groups.items()],
            *[group_class(f"Batch{name.capitalize()}", "batch: Batch", methods) for name, methods in batch.items()],
            holder_class("Operations", "requests: Requests", {name: f"{name.capitalize()}Calls" for name in groups}, own),
            holder_class("BatchOperations", "batch: Batch", {name: f"Batch{name.capitalize()}" for name in batch}, []),
        ]
    )


def batch_method(event: str, name: str, payload: str, creates: bool) -> str:
    answer, returned = ("Created", "return cast('Created', {})") if creates else ("None", "{}")
    append = f"self._batch.append({event!r}, cast('dict[str, Any]', payload), creates={creates})"
    return (
        f"    def {name}(self, **payload: Unpack[models.{payload}]) -> {answer}:\n"
        f'        """Adds `{event}`."""\n'
        f"        {returned.format(append)}\n"
    )


def group_class(name: str, parameter: str, methods: list[str]) -> str:
    attribute = parameter.split(":")[0]
    start = f"    def __init__(self, {parameter}) -> None:\n        self._{attribute} = {attribute}\n"
    return "\n".join([f"\nclass {name}:", f'    """Calls of one subject."""\n', start, *methods])


def holder_class(name: str, parameter: str, groups: dict[str, str], methods: list[str]) -> str:
    attribute = parameter.split(":")[0]
    made = [f"        self.{identifier_of(group)} = {kind}({attribute})" for group, kind in groups.items()]
    start = [f"    def __init__(self, {parameter}) -> None:", f"        self._{attribute} = {attribute}", *made, ""]
    return "\n".join([f"\nclass {name}:", f'    """The calls by their subjects."""\n', *start, *methods])


def documentation(text: str) -> str:
    return f'"""{text}"""'.replace("\\", "\\\\")


def write_models(schemas: dict[str, Any], path: Path) -> None:
    """Typed dictionaries, by datamodel-code-generator."""
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Taskgraph", "version": "1"},
        "paths": {},
        "components": {"schemas": {name: with_plain_texts(schema) for name, schema in schemas.items()}},
    }
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "schemas.json"
        source.write_text(json.dumps(document))
        options = [
            *["--input", str(source), "--input-file-type", "openapi", "--output", str(path)],
            *["--output-model-type", "typing.TypedDict", "--target-python-version", "3.10"],
            *["--use-standard-collections", "--use-union-operator", "--enum-field-as-literal", "all"],
            *["--use-schema-description", "--disable-timestamp"],
        ]
        subprocess.run([sys.executable, "-m", "datamodel_code_generator", *options], check=True)


def with_plain_texts(value: Any) -> Any:
    if isinstance(value, list):
        return [with_plain_texts(one) for one in value]
    if not isinstance(value, dict):
        return value
    is_text = "string" in str(value.get("type", ""))
    return {name: with_plain_texts(one) for name, one in value.items() if not (is_text and name in TEXT_KEYWORDS)}


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    generate(Path(sys.argv[1]))
