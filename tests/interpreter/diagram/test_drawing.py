"""The drawing of a workflow: nothing overlaps, the longest way is straight, and no text is cut in a word."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.interpreter import Catalog
from aurora.interpreter.diagram import Diagram, build_diagram, render_svg
from aurora.interpreter.diagram.flow import build_flow
from aurora.interpreter.diagram.layers import build_layers
from aurora.interpreter.diagram.model import DiagramEdge, DiagramNode
from aurora.interpreter.diagram.positions import place_vertices
from aurora.interpreter.diagram.text import measure_text, wrap_text

if TYPE_CHECKING:
    from aurora.interpreter.diagram.positions import Positions

SHIPPED = ("soar", "soar-fast", "bug-fix", "code-review", "design", "feature", "maintenance")


def build(name: str) -> Diagram:
    return build_diagram(Catalog(None).open(name), ())


def connect(count: int, ways: list[tuple[int, int]], title: str = "A title") -> Diagram:
    """Build a diagram of `count` phases with these ways between them; beyond the last one is the end."""
    nodes = []
    for number in range(count):
        targets = [target for source, target in ways if source % count == number]
        edges = tuple(
            DiagramEdge(
                f"p{number}", "end" if target >= count else f"p{target}", "then", f"n == {target}", f"n == {target}"
            )
            for target in targets
        )
        nodes.append(DiagramNode(f"p{number}", title, (), edges, (), "phase", ("tool",)))
    return Diagram("many@1.0.0", title, "p0", tuple(nodes), ())


def list_areas(diagram: Diagram) -> tuple[list[tuple[float, float, float, float]], Positions]:
    """List the area of each vertex: left, right, top, bottom."""
    layers = build_layers(build_flow(diagram))
    places = place_vertices(layers, 0, 0)
    areas = []
    for number, row in enumerate(layers.rows):
        for n in row:
            vertex, x, top = layers.vertices[n], places.x[n], places.tops[number]
            assert vertex.height <= places.heights[number]
            areas.append((x - vertex.left, x + vertex.right, top, top + vertex.height))
    return areas, places


@settings(max_examples=60)
@given(st.integers(1, 14), st.lists(st.tuples(st.integers(0, 13), st.integers(0, 15)), max_size=40))
def test_no_box_and_no_label_covers_another_one(count: int, ways: list[tuple[int, int]]) -> None:
    areas, places = list_areas(connect(count, ways))
    for one, other in combinations(areas, 2):
        assert one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2], (one, other)
    for (top, height), (below, _) in pairwise(zip(places.tops, places.heights, strict=True)):
        assert top + height < below


@pytest.mark.parametrize("name", SHIPPED)
def test_the_phases_of_a_shipped_workflow_are_drawn_with_one_marker_for_failures(name: str) -> None:
    diagram = build(name)
    svg = render_svg(diagram)
    assert all(svg.count(f'id="phase-{node.name}"') == 1 for node in diagram.nodes)
    failing = build_flow(diagram).failing
    alike = [
        edge for node in diagram.nodes for edge in node.edges if edge.kind == "on_error" and edge.target == failing
    ]
    assert svg.count('class="badge"') == (len(alike) + 1 if failing else 0)
    if failing:
        assert svg.count(f">fails → {failing}<") == 1


def test_soar_fits_a_screen_and_its_way_is_a_straight_line() -> None:
    diagram = build("soar")
    svg = ET.fromstring(render_svg(diagram))  # noqa: S314 - our own drawing
    assert float(svg.get("width", 0)) < 800
    assert float(svg.get("height", 0)) < 1000
    boxes = [one for one in svg.iter("{http://www.w3.org/2000/svg}rect") if one.get("class") == "box"]
    middles = {round(float(box.get("x", 0)) + float(box.get("width", 0)) / 2) for box in boxes}
    assert (len(boxes), len(middles)) == (9, 1)
    assert "on_error" not in {one.get("class", "").rpartition(" ")[2] for one in svg.iter()}


def test_a_way_without_a_condition_says_otherwise_only_beside_others() -> None:
    flow = build_flow(build("soar"))
    labels = {(arrow.source, arrow.target): arrow.labels for arrow in flow.arrows}
    assert labels["assess", "retrieve"] == ()
    assert labels["retrieve", "decompose"] == ("otherwise",)
    assert labels["verify", "decompose"] == ("verdict == 'RETRY'",)
    assert labels["collect", "collect"] == ("at most 20 times",)


@settings(max_examples=100)
@given(st.text(alphabet="abc de&<'\"fgh ijk … 日本", max_size=200), st.integers(1, 3))
def test_lines_end_between_words(text: str, most: int) -> None:
    lines = wrap_text(text, 80, 12, most)
    words = " ".join(lines).removesuffix(" …").split()
    assert len(lines) <= most
    assert words == text.split()[: len(words)] or any(len(word) > 60 for word in text.split())
    assert all(measure_text(line.removesuffix(" …"), 12) <= 80 or " " not in line.removesuffix(" …") for line in lines)


@settings(max_examples=40)
@given(st.text(max_size=300))
def test_any_title_gives_a_drawing_that_can_be_read(title: str) -> None:
    plain = "".join(one for one in title if one.isprintable())
    svg = render_svg(connect(2, [(0, 1), (1, 2)], plain))
    root = ET.fromstring(svg)  # noqa: S314 - our own drawing
    assert not [one for one in root.iter() if one.tag.endswith("script")]


def test_of_very_many_ways_the_farthest_are_named_in_their_box() -> None:
    everywhere = [(source, target) for source in range(100) for target in range(100) if source != target]
    svg = render_svg(connect(100, everywhere))
    assert svg.count('class="way') <= 501
    assert ">→ p99<" in svg
    near = render_svg(connect(5, [(source, source + 1) for source in range(5)]))
    assert not re.search(r">→ ", near)
