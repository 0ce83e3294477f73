"""The drawing of a workflow: nothing overlaps, the phases are a straight column, and any title can be read."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.interpreter import Catalog
from aurora.interpreter.diagram import Diagram, DiagramEdge, DiagramNode, build_diagram
from aurora.interpreter.drawing import Visits, render_svg

if TYPE_CHECKING:
    from collections.abc import Iterator

SHIPPED = ("soar", "soar-fast", "bug-fix", "code-review", "design", "feature", "maintenance")


class Area(NamedTuple):
    """Area of a box, a label or a dot."""

    left: float
    right: float
    top: float
    bottom: float


def build(name: str) -> Diagram:
    return build_diagram(Catalog(None).open(name), ())


def connect(count: int, ways: list[tuple[int, int]], title: str = "A title") -> Diagram:
    """Build a diagram of `count` phases with these ways between them; beyond the last one is the end."""
    nodes = []
    for number in range(count):
        targets = ["end" if target >= count else f"p{target}" for source, target in ways if source % count == number]
        edges = tuple(DiagramEdge(f"p{number}", one, "then", f"n == {one}", f"n == {one}") for one in targets)
        nodes.append(DiagramNode(f"p{number}", title, (), edges, (), "phase", ("tool",)))
    return Diagram("many@1.0.0", title, "p0", tuple(nodes), ())


def list_areas(svg: str) -> Iterator[Area]:
    """List the areas of the boxes, labels and dots of ends; a label is about as wide as its characters."""
    for one in ET.fromstring(svg).iter():  # noqa: S314 - our own drawing
        kind = one.get("class", "").partition(" ")[0]
        place = {name: float(one.get(name, 0)) for name in ("x", "y", "cx", "cy", "r")}
        if kind == "box":
            width, height = float(one.get("width", 0)), float(one.get("height", 0))
            yield Area(place["x"], place["x"] + width, place["y"], place["y"] + height)
        elif kind == "label":
            width = 5.5 * len(one.text or "")
            left = place["x"] - (width if one.get("text-anchor") == "end" else 0)
            yield Area(left, left + width, place["y"] - 9, place["y"] + 2)
        elif kind == "ring":
            yield Area(
                *(place["cx"] + side * place["r"] for side in (-1, 1)),
                *(place["cy"] + side * place["r"] for side in (-1, 1)),
            )


@settings(max_examples=60)
@given(st.integers(1, 14), st.lists(st.tuples(st.integers(0, 13), st.integers(0, 15)), max_size=40))
def test_no_box_and_no_label_covers_another_one(count: int, ways: list[tuple[int, int]]) -> None:
    svg = render_svg(connect(count, ways))
    for one, other in combinations(list_areas(svg), 2):
        apart = one.right <= other.left or other.right <= one.left or one.bottom <= other.top
        assert apart or other.bottom <= one.top, (one, other)


@settings(max_examples=40)
@given(st.integers(1, 14), st.lists(st.tuples(st.integers(0, 13), st.integers(0, 15)), max_size=40))
def test_everything_is_inside_the_drawing_and_each_way_is_drawn_once(count: int, ways: list[tuple[int, int]]) -> None:
    diagram = connect(count, ways)
    svg = render_svg(diagram)
    root = ET.fromstring(svg)  # noqa: S314 - our own drawing
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    assert all(one.left >= 0 and one.right <= width and one.bottom <= height for one in list_areas(svg))
    wanted = {(edge.source, edge.target) for node in diagram.nodes for edge in node.edges}
    assert svg.count('class="way') == len(wanted) + 1  # that to the first phase


@pytest.mark.parametrize("name", SHIPPED)
def test_the_phases_of_a_shipped_workflow_are_drawn_with_one_marker_for_failures(name: str) -> None:
    diagram = build(name)
    svg = render_svg(diagram)
    assert all(svg.count(f'id="phase-{node.name}"') == 1 for node in diagram.nodes)
    (failing,) = re.findall(r'class="sub"[^>]*>fails → ([\w-]+)<', svg) or [""]
    failures = [edge.target for node in diagram.nodes for edge in node.edges if edge.kind == "on_error"]
    assert svg.count('class="badge"') == (failures.count(failing) + 1 if failing else 0)


def test_soar_fits_a_screen_and_its_way_is_a_straight_line() -> None:
    svg = render_svg(build("soar"))
    root = ET.fromstring(svg)  # noqa: S314 - our own drawing
    assert float(root.get("width", 0)) < 800
    assert float(root.get("height", 0)) < 1000
    boxes = [one for one in root.iter("{http://www.w3.org/2000/svg}rect") if one.get("class") == "box"]
    middles = {round(float(box.get("x", 0)) + float(box.get("width", 0)) / 2) for box in boxes}
    assert (len(boxes), len(middles)) == (9, 1)
    assert "on_error" not in {one.get("class", "").rpartition(" ")[2] for one in root.iter()}
    for label in ("verdict == 'RETRY'", "otherwise", "at most 20 times"):
        assert f">{label}<" in svg.replace("&#x27;", "'")


def test_the_ways_of_a_run_are_strong_and_the_others_faint() -> None:
    diagram = connect(3, [(0, 1), (0, 2), (1, 0), (1, 2), (2, 3)])
    ways = {("p0", "p1"): 2, ("p1", "p0"): 1, ("p1", "p2"): 1}
    svg = render_svg(diagram, Visits({"p0": 2, "p1": 2, "p2": 1}, ways, {}, "p2", ("p1",)))
    assert svg.count('class="way then walked"') == len(ways) + 1
    assert svg.count('class="way then faint"') == 2
    assert svg.count(">2 times<") == 1
    assert svg.count('class="phase current"') == 1
    assert svg.count('class="badge failed"') == 1


@settings(max_examples=40)
@given(st.text(max_size=300))
def test_any_title_gives_a_drawing_that_can_be_read(title: str) -> None:
    plain = "".join(one for one in title if one.isprintable())
    root = ET.fromstring(render_svg(connect(2, [(0, 1), (1, 2)], plain)))  # noqa: S314 - our own drawing
    assert not [one for one in root.iter() if one.tag.endswith("script")]


def test_of_very_many_ways_the_farthest_are_named_in_their_box() -> None:
    everywhere = [(source, target) for source in range(100) for target in range(100) if source != target]
    svg = render_svg(connect(100, everywhere))
    assert svg.count('class="way') <= 501
    assert ">→ p99<" in svg
    assert not re.search(r">→ ", render_svg(connect(5, [(source, source + 1) for source in range(5)])))
