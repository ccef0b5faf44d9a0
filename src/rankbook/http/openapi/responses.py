"""The answers and errors that the documentation lists for every read."""

from typing import Any

from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import Example

from rankbook.http.problems import MEDIA_TYPE, Problem

NOT_THERE = Problem(
    type="urn:rankbook:not-found",
    title="There is no such thing",
    status=404,
    detail="no board 'sped'; there are: speed",
)
WRONG = Problem(
    type="urn:rankbook:refused",
    title="The book refuses this",
    status=422,
    detail="limits: is no parameter here; there are: window, period, limit, cursor, tag.NAME",
    field="limits",
)
DOWN = Problem(
    type="urn:rankbook:store-unavailable",
    title="The rankings cannot be used now",
    status=503,
)
READ_PROBLEMS: dict[int, tuple[str, Problem | None]] = {
    400: ("A parameter cannot be read.", None),
    401: ("Reading needs a key here.", None),
    403: ("The key may not read.", None),
    404: ("There is no such thing; says what there is.", NOT_THERE),
    422: ("A parameter is refused.", WRONG),
    503: ("Log or store cannot be used now; Retry-After says when to try again.", DOWN),
}


def problems(told: dict[int, tuple[str, Problem | None]]) -> dict[int, ResponseSpec]:
    """Problem details by status, each with its meaning and perhaps an example."""
    return {
        status: ResponseSpec(
            Problem,
            description=description,
            media_type=MEDIA_TYPE,
            examples=[Example(value=example)] if example else None,
            generate_examples=False,
        )
        for status, (description, example) in told.items()
    }


def documented(content: Any, description: str, example: object = None) -> dict[int, ResponseSpec]:
    """The answers of a read: its content, 304, and problems."""
    return {
        200: ResponseSpec(
            content,
            description=f"{description} Its ETag is made of the versions of what it shows.",
            examples=[Example(value=example)] if example is not None else None,
            generate_examples=False,
        ),
        304: ResponseSpec(
            None, description="What If-None-Match names is what there is.", generate_examples=False
        ),
        **problems(READ_PROBLEMS),
    }
