"""Reading a book: it finds the ranking, bundle, player or period that a caller means, and
reads it."""

from collections.abc import Mapping

from rankbook.book.read import periods
from rankbook.book.read.bundles import BundleReading, read_bundle
from rankbook.book.read.periods import MOST_PERIODS
from rankbook.book.read.view import RankingView, read_all, view
from rankbook.errors import Refused
from rankbook.model import PeriodSummary, PlayerPeriod, Standings
from rankbook.rules import Board, BoardRules, BookSpec, Bundle, Ranking
from rankbook.store.base import Reads


class Reader:
    """Reads a book at one instant, from one store. See `Rankbook` for what its methods return.

    If the store is one snapshot, as in `Rankbook.snapshot`, every answer comes from it.
    """

    def __init__(
        self, spec: BookSpec, boards: Mapping[str, BoardRules], store: Reads, now_us: int
    ) -> None:
        """`store` reads all parts of the book as one. `now_us` decides which periods are running
        and which are sealed."""
        self.spec = spec
        self._boards = boards
        self._store = store
        self._now_us = now_us

    def position(self) -> int:
        """The log position that the rankings have reached."""
        return self._store.position()

    def ranking(
        self,
        board: str | Board,
        *,
        window: str | None = None,
        period: str | None = None,
        tags: Mapping[str, object] | None = None,
    ) -> RankingView:
        """See `Rankbook.ranking`."""
        return view(self._store, self._rules(board), window, period, tags or {}, self._now_us)

    def views(self, bundle: Bundle) -> list[RankingView]:
        """The rankings of a bundle in their current periods."""
        return [
            self.ranking(each.board, window=each.window, tags=dict(each.tags))
            for each in bundle.rankings
        ]

    def bundle(self, bundle: Bundle) -> BundleReading:
        """The rankings of a bundle, read now. `Rankbook.bundle` gives a kept reading."""
        position, found = read_all(
            self._store, self.views(bundle), lambda each: each.top_query(bundle.top)
        )
        return read_bundle(bundle, position, found)

    def player(self, player: str) -> list[Standings]:
        """See `Rankbook.player`."""
        running = periods.running(self._store, tuple(self._boards.values()), self._now_us)
        views = [self._known(rules, ranking) for rules, ranking in running]
        _position, found = read_all(self._store, views, lambda each: each.entry_query(player))
        return [standings for standings in found if standings.entries]

    def tags(self, board: str | Board, window: str | None = None) -> list[dict[str, str]]:
        """See `Rankbook.tags`."""
        rules = self._rules(board)
        found = periods.known(self._store, rules, self._window(rules, window))
        return [dict(tags) for tags in sorted({each.tags for each in found})]

    def periods(
        self,
        board: str | Board,
        window: str | None = None,
        *,
        limit: int = MOST_PERIODS,
        before: str | None = None,
    ) -> list[PeriodSummary]:
        """See `Rankbook.periods`."""
        if before is not None and window is None:
            raise Refused("before", "is a period of one window: name the window, too")
        rules = self._rules(board)
        names = [*rules.windows] if window is None else [rules.window(window).name]
        return periods.periods(self._store, rules, names, self._known, limit, before)

    def player_periods(
        self,
        player: str,
        board: str | Board,
        window: str | None = None,
        tags: Mapping[str, object] | None = None,
        *,
        limit: int = MOST_PERIODS,
        before: str | None = None,
    ) -> list[PlayerPeriod]:
        """See `Rankbook.player_periods`."""
        rules = self._rules(board)
        name, chosen = self._window(rules, window), dict(rules.tags(tags or {}))
        return periods.of_player(
            self._store, rules, name, chosen, player, self._known, limit, before
        )

    def _rules(self, board: str | Board) -> BoardRules:
        """The rules of a board, given by its name or itself. Raises `NotFound`, which lists the
        boards."""
        name = board.name if isinstance(board, Board) else board
        return self._boards[self.spec.board(name).name]

    def _window(self, rules: BoardRules, window: str | None) -> str:
        return rules.window(next(iter(rules.windows)) if window is None else window).name

    def _known(self, rules: BoardRules, ranking: Ranking) -> RankingView:
        """The view of the ranking with this name."""
        span = rules.window(ranking.window).period(ranking.period)
        return RankingView(self._store, rules, ranking, span, self._now_us)
