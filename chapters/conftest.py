"""Strict nbval: every stored output of every chapter is a test.

Plain nbval passes notebooks whose outputs were stripped, never looks at pictures
and compares numbers as text. Here a notebook must have been executed from top to
bottom once, pictures are compared as pictures and numbers as numbers. A cell may
ask for other tolerances by its tags: ``rtol:1e-2``, ``atol:1e-6``, or ``noise`` for
differences that are rounding error alone.
"""

import pytest
from nbval.plugin import IPyNbCell, IPyNbFile
from strict_compare import Tolerance, differences


class StrictNotebook(IPyNbFile):
    """A notebook that was executed in order and keeps a history, as in Jupyter."""

    def setup(self):
        """Start the kernel; let it count and remember cells as Jupyter does."""
        super().setup()
        client = self.kernel.kc

        def execute(source, allow_stdin=None):
            return client.execute(
                source, store_history=True, allow_stdin=allow_stdin, stop_on_error=False
            )

        self.kernel.execute_cell_input = execute

    def collect(self):
        """Yield one strict test per code cell."""
        cells = list(super().collect())
        counts = [c.cell.execution_count for c in cells if c.cell.source.strip()]
        if counts != list(range(1, len(counts) + 1)):
            raise self.CollectError(
                f"{self.path.name} was not executed once from top to bottom: its "
                f"execution counts are {counts}. Run scripts/execute_notebooks.py."
            )
        for cell in cells:
            yield StrictCell.from_parent(
                self,
                name=cell.name,
                cell_num=cell.cell_num,
                cell=cell.cell,
                options=cell.options,
            )


class StrictCell(IPyNbCell):
    """A code cell whose outputs all have to agree with the stored ones."""

    def compare_outputs(self, test, ref, skip_compare=None):
        """Return whether the new outputs agree with the stored ones."""
        tolerance = Tolerance.from_tags(self.cell.metadata.get("tags", []))
        self.comparison_traceback = differences(ref, test, tolerance)
        return not self.comparison_traceback


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """Put a strict notebook in the place of nbval's own."""
    collected = yield
    return [
        StrictNotebook.from_parent(parent, path=file_path)
        if isinstance(item, IPyNbFile)
        else item
        for item in collected
    ]
