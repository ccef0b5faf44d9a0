"""Run one measurement, or each at its small default size: python -m bench [NAME [options]]."""

import sys
from importlib import import_module

# Name on the command line -> module with main(arguments: list[str]) -> None.
BENCHES: dict[str, str] = {
    "engine": "bench.engine",
    "fold": "bench.fold",
    "http": "bench.http",
    "motor_sport": "bench.motor_sport",
    "stores": "bench.stores",
    "submit": "bench.submit",
}


def main(arguments: list[str]) -> int:
    if not arguments:
        for name, module in BENCHES.items():
            print(f"== {name}", flush=True)
            import_module(module).main([])
        return 0
    name, *options = arguments
    if name not in BENCHES:
        print(
            f"no measurement {name!r}; there are: {', '.join(BENCHES) or 'none'}", file=sys.stderr
        )
        return 2
    import_module(BENCHES[name]).main(options)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
