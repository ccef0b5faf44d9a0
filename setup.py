"""Build the optional compiled kernels: every ``*_cy.py`` of the engine.

The files are plain Python in Cython's pure mode. Where Cython and a C compiler are there, each is
compiled to an extension module that stands in for it; where not, the plain file is used. With
``RANKBOOK_REQUIRE_COMPILED=1`` a kernel that cannot be compiled is an error.
"""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path("src")
REQUIRED = os.environ.get("RANKBOOK_REQUIRE_COMPILED") == "1"


def kernels() -> list[Extension]:
    """One extension per kernel file; none is fine."""
    found = []
    for path in sorted(SOURCE.glob("rankbook/engine/*_cy.py")):
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        # The declarations beside a kernel are sources too: setuptools ships what `depends` names.
        declarations = [each.as_posix() for each in path.parent.glob(f"{path.stem}.pxd")]
        found.append(
            Extension(module, [path.as_posix()], optional=not REQUIRED, depends=declarations)
        )
    return found


class BuildKernels(build_ext):
    """Compile each kernel, or leave it plain and say so."""

    def finalize_options(self) -> None:
        """Set the options, and build anew each time."""
        super().finalize_options()
        # An extension that is older than its source would hide it, so none is ever reused.
        self.force = True

    def build_extension(self, ext: Extension) -> None:
        """Compile one kernel; unless it is required, a failure leaves the plain file in use."""
        plain = ext.sources[0]
        try:
            ext.sources = c_sources(ext)
            super().build_extension(ext)
        except Exception as error:
            if REQUIRED:
                raise
            self._remove_outdated(ext)
            reason = str(error) or type(error).__name__
            print(
                f"note: {plain} is not compiled and runs as plain Python: {reason}", file=sys.stderr
            )

    def _remove_outdated(self, ext: Extension) -> None:
        package = Path(self.get_ext_fullpath(ext.name)).parent
        beside = Path(*[SOURCE, *ext.name.split(".")[:-1]])
        file_name = Path(self.get_ext_filename(ext.name)).name
        for folder in (package, beside):
            (folder / file_name).unlink(missing_ok=True)


def c_sources(ext: Extension) -> list[str]:
    """Translate a kernel to C under build/, and name the C files."""
    from Cython.Build import cythonize

    [translated] = cythonize(
        [Extension(ext.name, list(ext.sources))],
        build_dir="build/cython",
        force=True,
        quiet=True,
        compiler_directives={"language_level": 3},
    )
    return translated.sources


setup(ext_modules=kernels(), cmdclass={"build_ext": BuildKernels})
