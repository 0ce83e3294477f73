"""What stands inside a macro's braces in Rust is found as if it stood there by itself."""

from __future__ import annotations

from aurora.memory.chunking import chunk_file

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


def _defined(source: str) -> set[str]:
    pieces = chunk_file("a.rs", "rust", source).pieces
    return {name for piece in pieces for name in (piece.symbol, *piece.metadata.get("defines", ())) if name}


def test_definitions_inside_the_braces_of_a_macro_are_definitions_of_the_file() -> None:
    found = chunk_file("a.rs", "rust", _RUST)
    assert found.parsed
    assert _defined(_RUST) >= {"spawn", "Handle.stop", "Wrapped"}
    assert found.graph is not None
    assert {each.symbol: each.start for each in found.graph.defs if each.kind != "module"} == {
        "spawn": 6,
        "impl Handle": 11,
        "Handle.stop": 14,
        "Wrapped": 19,
    }
    assert ("run", "in:/task") in {(ref.name, ref.via) for ref in found.graph.refs.iter_rows()}


def test_a_macro_with_a_syntax_of_its_own_spoils_nothing_around_it() -> None:
    found = chunk_file("a.rs", "rust", _OWN_SYNTAX + _RUST)
    assert found.parsed
    assert _defined(_OWN_SYNTAX + _RUST) >= {"after", "TABLE", "spawn", "Handle.stop", "Wrapped"}
    assert "Flags" not in _defined(_OWN_SYNTAX)


def test_every_line_stays_in_a_piece_as_it_was_written() -> None:
    source = _OWN_SYNTAX + _RUST
    held = "\n".join(piece.text for piece in chunk_file("a.rs", "rust", source).pieces)
    assert all(line in held for line in source.split("\n"))
