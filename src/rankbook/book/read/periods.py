"""Which rankings and periods have entries, and how a player stood in each of them."""

from collections.abc import Callable, Mapping, Sequence

from rankbook.book import state
from rankbook.book.read.scores import percentile_of
from rankbook.book.read.source import member
from rankbook.book.read.view import RankingView
from rankbook.model import PeriodSummary, PlayerPeriod
from rankbook.rules import BoardRules, Ranking, current
from rankbook.store.base import (
    Answer,
    AroundMember,
    ByPosition,
    FromBound,
    Reads,
    Row,
    Slice,
    sliced,
)

PAGE = 1000
MOST_PERIODS = 1000
_END = b"\xff" * (state.NUMBER_BYTES + 1)  # after every row of a catalog

Views = Callable[[BoardRules, Ranking], RankingView]


def known(
    store: Reads,
    rules: BoardRules,
    window: str,
    limit: int = MOST_PERIODS,
    before: str | None = None,
) -> list[Ranking]:
    """The rankings of a window that have had entries, by period and then by name.

    It gives the newest `limit` periods, or the newest ones before the period `before`. O(rankings
    answered), however many exist. Raises `NotFound` for no such period.
    """
    catalog = state.catalog(rules.board.name, window)
    bound = _END if before is None else state.number(rules.window(window).period(before).start_us)
    found: list[Row] = []
    starts: set[bytes] = set()
    page = min(PAGE, limit + 1)
    while True:
        [answer] = store.read([FromBound(catalog, bound, page, reverse=True)]).answers
        rows = sliced(answer).rows
        for row in reversed(rows):
            if row.key not in starts and len(starts) == limit:
                return _rankings(found)
            starts.add(row.key)
            found.append(row)
        if len(rows) < page:
            return _rankings(found)
        bound = rows[0].key + rows[0].member


def _rankings(rows: Sequence[Row]) -> list[Ranking]:
    return [
        Ranking.parse(row.member.decode())
        for row in sorted(rows, key=lambda row: (row.key, row.member))
    ]


def running(
    store: Reads, boards: Sequence[BoardRules], now_us: int
) -> list[tuple[BoardRules, Ranking]]:
    """The rankings with entries in the current period of each window, under any tags.

    O(rankings answered): earlier periods are not read.
    """
    spans = [
        (rules, name, span)
        for rules in boards
        for name, window in rules.windows.items()
        if (span := current(window, now_us)) is not None
    ]
    queries = [
        FromBound(state.catalog(rules.board.name, name), state.number(span.start_us), PAGE)
        for rules, name, span in spans
    ]
    found: list[tuple[BoardRules, Ranking]] = []
    for (rules, _name, span), answer in zip(spans, store.read(queries).answers, strict=True):
        for ranking in _rankings(sliced(answer).rows):
            if ranking.period == span.id:
                found.append((rules, ranking))
    return found


def periods(
    store: Reads,
    rules: BoardRules,
    windows: Sequence[str],
    view: Views,
    limit: int,
    before: str | None,
) -> list[PeriodSummary]:
    """The newest `limit` periods of each window that have entries, the newest first."""
    by_period: dict[tuple[str, str], list[RankingView]] = {}
    for window in windows:
        for ranking in reversed(known(store, rules, window, limit, before)):
            by_period.setdefault((window, ranking.period), []).append(view(rules, ranking))
    queries = [ByPosition(view.id, 0, 0) for views in by_period.values() for view in views]
    answers = iter(store.read(queries).answers)
    summaries = [
        _summary([(view, next(answers)) for view in views]) for views in by_period.values()
    ]
    return [each for each in summaries if each.entries]


def _summary(found: Sequence[tuple[RankingView, Answer]]) -> PeriodSummary:
    counts = [view.capped(answer.count) for view, answer in found]
    first, _answer = found[0]
    return PeriodSummary(
        board=first.ranking.board,
        window=first.ranking.window,
        period=first.period(),
        rankings=sum(1 for count in counts if count),
        entries=max(counts),
    )


def of_player(
    store: Reads,
    rules: BoardRules,
    window: str,
    tags: Mapping[str, str],
    player: str,
    view: Views,
    limit: int,
    before: str | None,
) -> list[PlayerPeriod]:
    """How a player stands in the newest `limit` periods of a window under these tags, the newest
    first. O(limit x log n)."""
    wanted = tuple(sorted(tags.items()))
    rankings = known(store, rules, window, limit, before)
    views = [view(rules, each) for each in rankings if each.tags == wanted]
    asked = member(player)
    reading = store.read([AroundMember(each.id, asked, 1) for each in views])
    found = [sliced(answer) for answer in reading.answers]
    pairs = reversed(list(zip(views, found, strict=True)))
    return [_place(view, each) for view, each in pairs if each.count]


def _place(view: RankingView, found: Slice) -> PlayerPeriod:
    numbers = view.numbers(found)
    return PlayerPeriod(
        period=view.period(),
        tags=dict(view.ranking.tags),
        count=view.capped(found.count),
        rank=numbers[0] if numbers else None,
        score=view.rules.key_score(found.rows[0].key) if numbers else None,
        percentile=percentile_of(view, found),
    )
