"""Bodies of requests: JSON to structs, strictly, and their schemas for the documentation."""

from dataclasses import dataclass
from typing import Any

import msgspec
from litestar import Request
from litestar.exceptions import HTTPException
from litestar.openapi.spec import OpenAPIMediaType, Operation, RequestBody, Schema

from rankbook.errors import Refused
from rankbook.rules import read_json, read_times

JSON = "application/json"


async def read(request: Request[Any, Any, Any], wanted: Any) -> Any:
    """The body as the struct that the handler wants. No value is converted to another type.

    Raises 415 for another kind of body, 400 for a body that is not JSON, and `Refused` at a wrong
    field.
    """
    kind, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = parameters.strip().lower().replace('"', "")
    if kind.strip().lower() != JSON or charset not in ("", "charset=utf-8"):
        raise HTTPException(status_code=415, detail=f"the body is not {JSON} in UTF-8")
    try:
        return msgspec.convert(read_times(read_json((await request.body()).decode())), wanted)
    except msgspec.ValidationError as error:
        raise _refused(str(error)) from None
    except ValueError as error:
        raise HTTPException(status_code=400, detail=f"the body cannot be read: {error}") from None
    except RecursionError:
        detail = "the body cannot be read: it is nested too deeply"
        raise HTTPException(status_code=400, detail=detail) from None


def _refused(said: str) -> Refused:
    """msgspec's error about a body, as a refusal at the field."""
    reason, _, path = said.partition(" - at `$")
    return Refused(path.removesuffix("`").removeprefix("."), reason)


class _Written(Schema):
    """A schema that is plain data already."""

    written: dict[str, Any]

    def to_schema(self) -> dict[str, Any]:
        """The data."""
        return self.written


def documented(wanted: Any) -> type[Operation]:
    """The documentation of a handler that reads its body with `read`."""
    [schema], components = msgspec.json.schema_components([wanted], ref_template=_REF + "{name}")
    made = _Written()
    made.written = _inlined(schema, components)

    @dataclass
    class Documented(Operation):
        def __post_init__(self) -> None:
            content = {JSON: OpenAPIMediaType(schema=made)}
            self.request_body = RequestBody(content=content, required=True)

    return Documented


_REF = "#/components/schemas/"


def _inlined(schema: Any, components: dict[str, Any]) -> Any:
    """The schema with every reference replaced by what it refers to."""
    if isinstance(schema, list):
        return [_inlined(each, components) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(components[schema["$ref"].removeprefix(_REF)], components)
    return {name: _inlined(each, components) for name, each in schema.items()}
