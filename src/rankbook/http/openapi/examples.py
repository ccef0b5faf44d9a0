"""Examples of answers, for the documentation: a typing site with one player."""

from typing import Any

DAY: dict[str, Any] = {
    "id": "2026-11-30",
    "start": "2026-11-29T18:30:00Z",
    "end": "2026-11-30T18:30:00Z",
    "zone": "+05:30",
    "sealed": False,
}
DAY_BEFORE = {
    **DAY,
    "id": "2026-11-29",
    "start": "2026-11-28T18:30:00Z",
    "end": "2026-11-29T18:30:00Z",
    "sealed": True,
}
ENTRY: dict[str, Any] = {
    "rank": 1,
    "player": "asha",
    "score": 98,
    "measures": {"score": 98},
    "details": {"wpm": 100, "accuracy": 98, "mode": "time"},
    "profile": {"name": "Asha"},
    "event_id": "r1",
    "reached_at": "2026-11-30T10:00:00Z",
}
OF_RANKING: dict[str, Any] = {
    "board": "speed",
    "window": "daily",
    "period": DAY,
    "tags": {"mode": "time"},
    "count": 1,
}
STANDINGS = {**OF_RANKING, "entries": [ENTRY]}
PLACE = {**OF_RANKING, "player": "asha", "rank": 1, "percentile": 100.0, "entry": ENTRY}
FRIENDS = {**OF_RANKING, "friends": [{"rank_among": 1, "entry": ENTRY}], "missing": ["bram"]}
HISTOGRAM = {**OF_RANKING, "bins": [{"low": 98, "high": 98, "count": 1}]}
BUNDLE = {"name": "home", "position": 1, "rankings": [STANDINGS]}
BOARDS = {
    "name": "typing",
    "boards": [
        {
            "name": "speed",
            "windows": ["all-time", "daily"],
            "zone": "+05:30",
            "splits": [[], ["mode"]],
            "order_by": ["score desc"],
            "keep": "best",
            "numbering": "competition",
            "details": ["wpm", "accuracy", "mode"],
            "size": 1000,
            "seal": True,
        }
    ],
    "bundles": ["home"],
}
PERIODS = {
    "board": "speed",
    "periods": [
        {"board": "speed", "window": "daily", "period": DAY, "rankings": 2, "entries": 1},
        {"board": "speed", "window": "daily", "period": DAY_BEFORE, "rankings": 3, "entries": 7},
    ],
}
PLAYER = {
    "player": "asha",
    "rankings": [STANDINGS],
    "seasons": [
        {
            "board": "speed",
            "window": "daily",
            "tags": {},
            "periods": [
                {
                    "period": DAY,
                    "tags": {},
                    "count": 1,
                    "rank": 1,
                    "score": 98,
                    "percentile": 100.0,
                }
            ],
        }
    ],
}
CHANGES = {
    "board": "speed",
    "position": 2,
    "events": 1,
    "rankings": [
        {
            "window": "daily",
            "period": "2026-11-30",
            "tags": {},
            "moves": [
                {
                    "player": "asha",
                    "previous_score": 98,
                    "score": 104,
                    "previous_rank": 2,
                    "rank": 1,
                    "why": "better",
                }
            ],
        }
    ],
}
