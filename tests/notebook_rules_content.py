"""Rules about what stands in a chapter: checks, exercises, parts, outputs."""

import ast
import re

import notebook_rules as form
from notebook_rules import (
    FORBIDDEN_CODE,
    HEAD_LINES,
    MACHINE_PATH,
    PARTS,
    TIME_LINE,
    UNSTABLE_OUTPUT,
    code_cells,
    code_lines,
    count_assertions,
    has_picture,
    tags_of,
    text_outputs,
)


def plain_code(notebook):
    """No magics, no trailing semicolons, no installing, no network."""
    for cell in code_cells(notebook):
        if found := FORBIDDEN_CODE.search(cell.source):
            yield f"{found.group().strip()!r} in: {cell.source[:60]}"


def no_machine_paths(notebook):
    """Neither code nor outputs name a path of the machine that ran them."""
    for cell in code_cells(notebook):
        if found := MACHINE_PATH.search(cell.source + "\n" + text_outputs(cell)):
            yield f"{found.group()!r} in: {cell.source[:60]}"


def no_addresses_or_timings(notebook):
    """No output shows what differs in the next run."""
    for cell in code_cells(notebook):
        if found := UNSTABLE_OUTPUT.search(text_outputs(cell)):
            yield f"{found.group()!r} from: {cell.source[:60]}"


def definitions_are_checked(notebook):
    """What a cell defines is checked there or in the next two code cells."""
    cells = code_cells(notebook)
    for k, cell in enumerate(cells):
        if "exercise-starter" in tags_of(cell):
            continue
        defined = [
            node.name
            for node in ast.parse(cell.source).body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        ]
        near = cells[k : k + 3]
        checked = any(
            count_assertions(c.source) or "raises-exception" in tags_of(c) for c in near
        )
        if defined and not checked:
            yield f"{', '.join(defined)} defined, nothing checked"


def enough_assertions(notebook):
    """At least three assertions on 100 lines of code."""
    lines = sum(len(code_lines(cell)) for cell in code_cells(notebook))
    found = sum(count_assertions(cell.source) for cell in code_cells(notebook))
    if found < 0.03 * lines:
        yield f"{found} assertions on {lines} lines of code"


def three_exercises(notebook):
    """At least three exercises, each with starter, check and accepted solution."""
    cells = notebook.cells
    labels = []
    for k, cell in enumerate(cells):
        if cell.cell_type == "markdown" and "{exercise}" in cell.source:
            label = re.search(r"^:label: (\S+)$", cell.source, re.MULTILINE)
            labels.append(label and label.group(1))
            yield from exercise_problems(cells[k + 1 : k + 5], labels[-1])
    if len(labels) < 3:
        yield f"{len(labels)} exercises"


def exercise_problems(cells, label):
    """List what is missing in the four cells after the question."""
    kinds = [cell.cell_type for cell in cells]
    if kinds != ["code", "markdown", "code", "markdown"]:
        yield f"{label}: expected starter, solution-start, solution, solution-end"
        return
    starter, start, solution, end = cells
    if not re.search(rf"\{{solution-start\}} {re.escape(str(label))}\n", start.source):
        yield f"{label}: solution-start names another exercise"
    if ":class: dropdown" not in start.source or "{solution-end}" not in end.source:
        yield f"{label}: the solution is not a drop-down with an end"
    for cell, begin in ((starter, "Not answered yet:"), (solution, "Right:")):
        if not ("check(" in cell.source and text_outputs(cell).startswith(begin)):
            yield f"{label}: expected a check that says {begin!r}"


def parts_in_order(notebook):
    """Head with its three lines, then the parts that every chapter has."""
    head = notebook.cells[0].source
    if not head.startswith("# ") or not all(f"\n{line}" in head for line in HEAD_LINES):
        yield f"the first cell lacks the title or one of {HEAD_LINES}"
    time = TIME_LINE.search(head)
    seconds = notebook.metadata.get("bertbook", {}).get("run_seconds")
    if not (time and seconds and seconds <= int(time.group(1)) < seconds + 1):
        yield f"time line {time and time.group()!r} for {seconds} measured seconds"
    lines = [
        line
        for cell in notebook.cells
        if cell.cell_type == "markdown"
        for line in cell.source.splitlines()
    ]
    places = [lines.index(part) if part in lines else -1 for part in PARTS]
    if -1 in places or places != sorted(places):
        yield f"parts missing or not in the order {PARTS}"


def shapes_are_traced(notebook):
    """The part on shapes has a table that was computed."""
    inside = False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for heading in re.findall(r"^## .*$", cell.source, re.MULTILINE):
                inside = heading == "## Shapes"
        elif inside and re.search(r"\b(shape_table|trace_shapes)\(", cell.source):
            if any("text/html" in output.get("data", {}) for output in cell.outputs):
                return
    yield "no shape_table or trace_shapes under '## Shapes'"


def has_a_picture(notebook):
    """At least one picture is drawn by code."""
    if not any(has_picture(cell) for cell in code_cells(notebook)):
        yield "no picture"


RULES = [
    form.executed_in_order,
    form.errors_only_where_announced,
    form.nothing_on_stderr,
    form.stable_file,
    form.every_output_is_compared,
    form.small_cells,
    form.at_most_two_code_cells_in_a_row,
    form.prose_before_code,
    form.pictures_are_described,
    plain_code,
    no_machine_paths,
    no_addresses_or_timings,
    definitions_are_checked,
    enough_assertions,
    three_exercises,
    parts_in_order,
    shapes_are_traced,
    has_a_picture,
]
