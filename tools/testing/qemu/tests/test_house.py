# SPDX-License-Identifier: GPL-2.0
"""The bench's own code: no import in a circle, no function that fits no screen."""

import ast
import graphlib

import pytest

from harness import paths

LONGEST = 50        # lines of a function, its docstring included
FILES = [f for place in ("tools/testing/qemu", "tools/testing/dma_hints", "scripts")
         for f in (paths.TOP / place).rglob("*.py")]


def name(file):
    """A module's name, as others import it."""
    parts = file.relative_to(paths.QEMU).with_suffix("").parts
    return ".".join(parts).removeprefix("tests.").removesuffix(".__init__")


def imported(file):
    """The modules that a module names in its imports."""
    package = file.parent.name if (file.parent / "__init__.py").is_file() else ""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(filter(None, (package if node.level else "", node.module)))
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def order(graph):
    """The modules of {module: those that it imports}, the imported ones first."""
    return list(graphlib.TopologicalSorter(graph).static_order())


def test_no_import_circle():
    """Each module can be loaded after those that it imports; and a circle is seen."""
    files = {name(f): f for f in FILES if f.is_relative_to(paths.QEMU)}
    # a package's own names are its modules'
    graph = {module: {i for i in imported(file) if i in files and i != module
                      and not module.startswith(f"{i}.")}
             for module, file in files.items()}
    assert len(order(graph)) > 40 and "harness.process" in graph["demo"]
    with pytest.raises(graphlib.CycleError):
        order({**graph, "harness.paths": {"demo"}})


def test_functions_fit_a_screen():
    """No function is longer than a screen."""
    assert not [f"{file.name}: {node.name}" for file in FILES
                for node in ast.walk(ast.parse(file.read_text()))
                if isinstance(node, ast.FunctionDef)
                and node.end_lineno - node.lineno >= LONGEST]
