"""Definitions inside the braces of Rust's macros."""

from __future__ import annotations

from aurora.memory.chunking.chunk import chunk_file

_RUST = """\
cfg_rt! {
    mod task;

    /// Starts it.
    #[cfg(any(feature = "a", feature = "b"))]
    pub fn spawn() -> u8 {
        crate::task::run()
    }
}

impl Handle {
    cfg_unix! {
        /// Stops it.
        pub fn stop(&self) {}
    }
}

pin_project! {
    pub struct Wrapped<F> {
        #[pin]
        inner: F,
    }
}
"""
_OWN_SYNTAX = """\
bitflags! {
    struct Flags: u32 {
        const FIRST = 1;
    }
}

lazy_static! {
    static ref TABLE: u8 = 1;
}

fn after() {
    select! {
        _ = first() => {}
        else => { second() }
    }
}
"""


def _list_defined(source: str) -> set[str]:
    pieces = chunk_file("a.rs", "rust", source).pieces
    return {name for piece in pieces for name in (piece.symbol, *piece.metadata.get("defines", ())) if name}


def test_definitions_inside_a_macros_braces_are_definitions_of_the_file() -> None:
    found = chunk_file("a.rs", "rust", _RUST)
    assert found.parsed
    assert _list_defined(_RUST) >= {"spawn", "Handle.stop", "Wrapped"}
    assert found.graph is not None
    assert {each.symbol: each.start for each in found.graph.defs if each.kind != "module"} == {
        "spawn": 6,
        "impl Handle": 11,
        "Handle.stop": 14,
        "Wrapped": 19,
    }
    assert ("run", "in:/task") in {(ref.name, ref.via) for ref in found.graph.refs.iter_rows()}


def test_a_macro_with_its_own_syntax_breaks_nothing_around_it() -> None:
    found = chunk_file("a.rs", "rust", _OWN_SYNTAX + _RUST)
    assert found.parsed
    assert _list_defined(_OWN_SYNTAX + _RUST) >= {"after", "TABLE", "spawn", "Handle.stop", "Wrapped"}
    assert "Flags" not in _list_defined(_OWN_SYNTAX)


def test_every_line_stays_unchanged_in_a_piece() -> None:
    source = _OWN_SYNTAX + _RUST
    covered = "\n".join(piece.text for piece in chunk_file("a.rs", "rust", source).pieces)
    assert all(line in covered for line in source.split("\n"))
