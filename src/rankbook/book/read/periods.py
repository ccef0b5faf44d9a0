"""Which rankings and periods there are, and how a player stood in each of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence

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
    RankingId,
    Reads,
    Row,
    Slice,
    sliced,
)

PAGE = 1000

Views = Callable[[BoardRules, Ranking], RankingView]


def known(store: Reads, rules: BoardRules, window: str) -> list[Ranking]:
    """The rankings of a window that have had entries, by period and then by name."""
    return _known(store, [(rules, window)])[0]


def _known(store: Reads, windows: Sequence[tuple[BoardRules, str]]) -> list[list[Ranking]]:
    """As `known`, of several windows, which are read together."""
    catalogs = [state.catalog(rules.board.name, window) for rules, window in windows]
    reading = store.read([ByPosition(each, 0, PAGE) for each in catalogs])
    found: list[list[Ranking]] = []
    for catalog, answer in zip(catalogs, reading.answers, strict=True):
        rows = sorted(_rows(store, catalog, sliced(answer)), key=lambda row: (row.key, row.member))
        found.append([Ranking.parse(row.member.decode()) for row in rows])
    return found


def _rows(store: Reads, catalog: RankingId, first: Slice) -> Iterator[Row]:
    """Every row of a catalog, from its first page on."""
    found, start = first, 0
    while True:
        yield from found.rows
        if len(found.rows) < PAGE:
            return
        start += PAGE
        found = sliced(store.read([ByPosition(catalog, start, PAGE)]).answers[0])


def running(
    store: Reads, boards: Sequence[BoardRules], now_us: int
) -> list[tuple[BoardRules, Ranking]]:
    """The rankings with entries in the running periods, one of each window, under whatever tags."""
    spans = [
        (rules, name, span)
        for rules in boards
        for name, window in rules.windows.items()
        if (span := current(window, now_us)) is not None
    ]
    rankings = _known(store, [(rules, name) for rules, name, _span in spans])
    return [
        (rules, ranking)
        for (rules, _name, span), those in zip(spans, rankings, strict=True)
        for ranking in those
        if ranking.period == span.id
    ]


def periods(
    store: Reads, rules: BoardRules, windows: Sequence[str], view: Views
) -> list[PeriodSummary]:
    """Every period of these windows that has entries; of each window the newest first."""
    by_period: dict[tuple[str, str], list[RankingView]] = {}
    for window, rankings in zip(
        windows, _known(store, [(rules, window) for window in windows]), strict=True
    ):
        for ranking in reversed(rankings):
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
) -> list[PlayerPeriod]:
    """How a player stands in each period of a window under these tags, the newest first.

    O(periods x log n).
    """
    wanted = tuple(sorted(tags.items()))
    views = [view(rules, each) for each in known(store, rules, window) if each.tags == wanted]
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
