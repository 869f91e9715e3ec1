"""Rules that every chapter keeps. Each takes a notebook and lists what breaks it."""

import ast
import re
import statistics

HEAD_LINES = ("**You build** ", "**You need** ", "**Time** ")
TIME_LINE = re.compile(r"\*\*Time\*\* \d+ min to read, (\d+) s to run\.")
PARTS = ("## Wrong on purpose", "## Shapes", "## Exercises", "## Summary")
SKIPPING_TAGS = {"nbval-skip", "nbval-ignore-output"}
FORBIDDEN_CODE = re.compile(
    r"^\s*[%!]|;\s*$|pip3? install|https?://|\burllib\b|\brequests\b|\bsocket\b"
    r"|\burlopen\b|NBVAL_",
    re.MULTILINE,
)
MACHINE_PATH = re.compile(
    r"(?<![\w.:/~-])/(?:[\w.-]+/)+[\w.-]+|site-packages|\b[A-Z]:\\|~/"
)
UNSTABLE_OUTPUT = re.compile(
    r"\b0x[0-9a-fA-F]{5,}|\d\s?(?:ms|µs|us|ns|seconds|it/s)\b|\d s (?:±|per)"
)
SENTENCE_END = re.compile(r"[.!?](?=[\s\"')*_]|$)")
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|cf|vs|etc|Eq|Fig|et al)\.")


def code_cells(notebook):
    """Return the code cells."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def tags_of(cell):
    """Return the tags of a cell."""
    return set(cell.metadata.get("tags", []))


def code_lines(cell):
    """Return the lines of a cell that are not blank."""
    return [line for line in cell.source.splitlines() if line.strip()]


def texts_of(output):
    """Return every text in an output."""
    if output.output_type == "stream":
        return [output.text]
    if output.output_type == "error":
        return [output.evalue, *output.traceback]
    return [data for data in output.data.values() if isinstance(data, str)]


def text_outputs(cell):
    """Return every text in the outputs of a cell, save pictures."""
    texts = []
    for output in cell.outputs:
        if "image/png" in output.get("data", {}):
            texts.append(output.data.get("text/plain", ""))
        else:
            texts += texts_of(output)
    return "\n".join(texts)


def has_picture(cell):
    """Return whether a cell has drawn something."""
    return any("image/png" in output.get("data", {}) for output in cell.outputs)


def count_assertions(source):
    """Count assert statements and calls of assert_... and check."""
    count = 0
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            count += name.startswith("assert_") or name == "check"
        count += isinstance(node, ast.Assert)
    return count


def count_sentences(markdown):
    """Count sentences of prose: no headings, tables, formulas, code or directives."""
    text = re.sub(r"^(`{3,}|:{3,}).*?^\1\s*$", "", markdown, flags=re.M | re.S)
    text = re.sub(r"\$\$.*?\$\$", "", text, flags=re.S)
    text = re.sub(r"^(?:#+ |\||\(.*\)=$).*$", "", text, flags=re.M)
    text = re.sub(r"`[^`]*`|\$[^$]*\$", "x", text)
    text = ABBREVIATION.sub("x", text)
    blocks = [block for block in re.split(r"\n\s*\n", text) if block.strip()]
    return sum(max(1, len(SENTENCE_END.findall(block.strip()))) for block in blocks)


def executed_in_order(notebook):
    """Execution counts are 1, 2, 3, ..."""
    counts = [cell.execution_count for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"execution counts {counts}"


def errors_only_where_announced(notebook):
    """A cell raises if, and only if, it is tagged raises-exception."""
    for cell in code_cells(notebook):
        raised = any(output.output_type == "error" for output in cell.outputs)
        if raised != ("raises-exception" in tags_of(cell)):
            yield f"{'untagged error' if raised else 'no error'}: {cell.source[:60]}"


def nothing_on_stderr(notebook):
    """No cell writes to stderr."""
    for cell in code_cells(notebook):
        if any(output.get("name") == "stderr" for output in cell.outputs):
            yield cell.source[:60]


def stable_file(notebook):
    """Format 4.5 with ids, kernel python3, nothing that varies from run to run."""
    if (notebook.nbformat, notebook.nbformat_minor) != (4, 5):
        yield f"format {notebook.nbformat}.{notebook.nbformat_minor}"
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        yield "kernel is not python3"
    language = notebook.metadata.get("language_info", {})
    if language.get("name") != "python":  # ruff would pass over the notebook
        yield "language is not python"
    if "version" in language:
        yield "language version stored"
    if "widgets" in notebook.metadata:
        yield "widget state stored"
    ids = [cell.get("id") for cell in notebook.cells]
    if None in ids or len(set(ids)) < len(ids):
        yield "cell ids missing or doubled"
    if any("execution" in cell.metadata for cell in notebook.cells):
        yield "execution times stored"


def every_output_is_compared(notebook):
    """No cell is exempt from the comparison of outputs."""
    for cell in code_cells(notebook):
        if tags_of(cell) & SKIPPING_TAGS:
            yield cell.source[:60]


def small_cells(notebook):
    """Code cells are short: median <= 6 lines, 90 % <= 20, none > 30."""
    sizes = sorted(len(code_lines(cell)) for cell in code_cells(notebook))
    if sizes[-1] > 30:
        yield f"a cell of {sizes[-1]} lines"
    if statistics.median(sizes) > 6:
        yield f"median {statistics.median(sizes)} lines"
    if sizes[int(0.9 * (len(sizes) - 1))] > 20:
        yield f"90 % of the cells reach {sizes[int(0.9 * (len(sizes) - 1))]} lines"


def at_most_two_code_cells_in_a_row(notebook):
    """Three code cells never follow each other without prose."""
    kinds = [cell.cell_type for cell in notebook.cells]
    for k in range(len(kinds) - 2):
        if kinds[k : k + 3] == ["code"] * 3:
            yield notebook.cells[k + 2].source[:60]


def prose_before_code(notebook):
    """The text right before code has one to five sentences."""
    cells = notebook.cells
    for before, cell in zip([None, *cells[:-1]], cells, strict=True):
        if cell.cell_type != "code" or (before and before.cell_type == "code"):
            continue
        if before and "{solution-start}" in before.source:
            continue
        if before and "{exercise}" in before.source:
            continue
        count = count_sentences(before.source) if before else 0
        if not 1 <= count <= 5:
            yield f"{count} sentences before: {cell.source[:60]}"


def pictures_are_described(notebook):
    """A picture has alternative text that says what it shows, and prose beside it."""
    cells = notebook.cells
    for k, cell in enumerate(cells):
        if cell.cell_type != "code" or not has_picture(cell):
            continue
        alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
        if len(alt) < 30 or re.fullmatch(r"\S+\.(png|jpe?g|svg)", alt):
            yield f"alternative text {alt!r}: {cell.source[:60]}"
        beside = [other for other in cells[max(k - 1, 0) : k + 2] if other is not cell]
        if not any(
            c.cell_type == "markdown" and count_sentences(c.source) for c in beside
        ):
            yield f"no prose beside: {cell.source[:60]}"
