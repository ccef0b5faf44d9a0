"""Reading a book: rankings, bundles, a player, and the periods that there are."""

from collections.abc import Callable, Mapping

from rankbook.book.read import periods
from rankbook.book.read.bundles import BundleCache, BundleReading
from rankbook.book.read.view import RankingView, read_all, view
from rankbook.model import PeriodSummary, PlayerPeriod, Standings
from rankbook.rules import Board, BoardRules, BookSpec, Bundle, Ranking
from rankbook.store.base import Store


class Reads:
    """The part of a Rankbook that is read from; the rest is in book.py."""

    spec: BookSpec
    store: Store
    _clock: Callable[[], int]
    _rules: dict[str, BoardRules]
    _boards: tuple[BoardRules, ...]
    _bundles: BundleCache
    _ready: Callable[[], None]

    def boards(self) -> tuple[Board, ...]:
        """The boards, as specified."""
        return self.spec.boards

    def ranking(
        self,
        board: str | Board,
        *,
        window: str | None = None,
        period: str | None = None,
        tags: Mapping[str, object] | None = None,
    ) -> RankingView:
        """One ranking, to read from: the board's first window and its current period by default.

        Between seasons the current one is that which ended last. Raises `NotFound` and says what
        exists.
        """
        name = board.name if isinstance(board, Board) else board
        return self._view(name, window, period, tags or {}, self._clock())

    def _view(
        self,
        board: str,
        window: str | None,
        period: str | None,
        tags: Mapping[str, object],
        now_us: int,
    ) -> RankingView:
        self.spec.board(board)
        self._ready()
        return view(self.store, self._rules[board], window, period, tags, now_us)

    def bundle(self, name: str) -> BundleReading:
        """All rankings of a bundle in their current periods, from one snapshot.

        Kept until one of them changes, or as long as the bundle's maximum age says.
        """
        self._ready()
        return self._bundles.read(self.spec.bundle(name), self._clock())

    def _bundle_views(self, bundle: Bundle, now_us: int) -> list[RankingView]:
        return [
            self._view(each.board, each.window, None, dict(each.tags), now_us)
            for each in bundle.rankings
        ]

    def player(self, player: str) -> list[Standings]:
        """The player's entry in every current ranking that has one, from one snapshot."""
        self._ready()
        now_us = self._clock()
        views = [
            self._known_view(rules, ranking, now_us)
            for rules, ranking in periods.running(self.store, self._boards, now_us)
        ]
        _position, found = read_all(self.store, views, lambda each: each.entry_query(player))
        return [standings for standings in found if standings.entries]

    def periods(self, board: str, window: str | None = None) -> list[PeriodSummary]:
        """Every period of a window that has entries, the newest first; all windows by default.

        Raises `NotFound` and says what exists.
        """
        self.spec.board(board)
        self._ready()
        rules = self._rules[board]
        names = list(rules.windows) if window is None else [rules.window(window).name]
        return [
            each
            for name in names
            for each in periods.periods(self.store, rules, name, self._seen_now())
        ]

    def player_periods(
        self,
        player: str,
        board: str,
        window: str | None = None,
        tags: Mapping[str, object] | None = None,
    ) -> list[PlayerPeriod]:
        """The player's rank, score, count and percentile in each period, the newest first.

        Raises `NotFound` and says what exists.
        """
        self.spec.board(board)
        self._ready()
        rules = self._rules[board]
        name = next(iter(rules.windows)) if window is None else window
        rules.window(name)
        chosen = dict(rules.tags(tags or {}))
        return periods.of_player(self.store, rules, name, chosen, player, self._seen_now())

    def _seen_now(self) -> Callable[[BoardRules, Ranking], RankingView]:
        now_us = self._clock()
        return lambda rules, ranking: self._known_view(rules, ranking, now_us)

    def _known_view(self, rules: BoardRules, ranking: Ranking, now_us: int) -> RankingView:
        span = rules.window(ranking.window).period(ranking.period)
        return RankingView(self.store, rules, ranking, span, now_us)
