"""Reading a book: which ranking, bundle, player or period is meant, and its answer."""

from collections.abc import Callable, Mapping, Sequence

from rankbook.book.read import periods
from rankbook.book.read.view import RankingView, read_all, view
from rankbook.model import PeriodSummary, PlayerPeriod, Standings
from rankbook.rules import Board, BoardRules, BookSpec, Bundle, Ranking
from rankbook.store.base import Store


class Reader:
    """Finds what a caller names in a book. Every answer is of `now_us`.

    `store` reads all parts of the book as one.
    """

    def __init__(self, spec: BookSpec, boards: Mapping[str, BoardRules], store: Store) -> None:
        self._spec = spec
        self._boards = boards
        self._store = store

    def rules(self, board: str | Board) -> BoardRules:
        """The rules of a board, by itself or its name. Raises `NotFound` and lists the boards."""
        name = board.name if isinstance(board, Board) else board
        return self._boards[self._spec.board(name).name]

    def ranking(
        self,
        board: str | Board,
        window: str | None,
        period: str | None,
        tags: Mapping[str, object],
        now_us: int,
    ) -> RankingView:
        """See `Rankbook.ranking`."""
        return view(self._store, self.rules(board), window, period, tags, now_us)

    def bundle(self, bundle: Bundle, now_us: int) -> list[RankingView]:
        """The rankings of a bundle in their current periods."""
        return [
            self.ranking(each.board, each.window, None, dict(each.tags), now_us)
            for each in bundle.rankings
        ]

    def player(self, player: str, now_us: int) -> list[Standings]:
        """See `Rankbook.player`."""
        known = self._known(now_us)
        running = periods.running(self._store, tuple(self._boards.values()), now_us)
        views = [known(rules, ranking) for rules, ranking in running]
        _position, found = read_all(self._store, views, lambda each: each.entry_query(player))
        return [standings for standings in found if standings.entries]

    def periods(self, board: str | Board, window: str | None, now_us: int) -> list[PeriodSummary]:
        """See `Rankbook.periods`."""
        rules = self.rules(board)
        names: Sequence[str] = [*rules.windows] if window is None else [rules.window(window).name]
        return [
            each
            for name in names
            for each in periods.periods(self._store, rules, name, self._known(now_us))
        ]

    def player_periods(
        self,
        player: str,
        board: str | Board,
        window: str | None,
        tags: Mapping[str, object],
        now_us: int,
    ) -> list[PlayerPeriod]:
        """See `Rankbook.player_periods`."""
        rules = self.rules(board)
        name = rules.window(next(iter(rules.windows)) if window is None else window).name
        chosen = dict(rules.tags(tags))
        known = self._known(now_us)
        return periods.of_player(self._store, rules, name, chosen, player, known)

    def _known(self, now_us: int) -> Callable[[BoardRules, Ranking], RankingView]:
        """Views of rankings that are known by name."""

        def known(rules: BoardRules, ranking: Ranking) -> RankingView:
            span = rules.window(ranking.window).period(ranking.period)
            return RankingView(self._store, rules, ranking, span, now_us)

        return known
