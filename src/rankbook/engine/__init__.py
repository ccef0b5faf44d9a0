"""Engine: RankSets, ordered, counted and durable. It knows bytes only."""

from rankbook.engine.kernels import select

select()
