"""Chunking of C, C++, Go and Rust."""

from __future__ import annotations

import pytest

from aurora.memory.chunking.chunk import chunk_file

C = """\
#ifndef RING_H
#define RING_H
#include <stdint.h>
#include "ring_config.h"

#define RING_MAX 64
#define RING_NEXT(i) (((i) + 1) % RING_MAX)

/* One slot of the ring. */
struct slot {
    uint32_t key;
    void *value;
};

typedef struct {
    struct slot slots[RING_MAX];
    int head, tail;
} ring_t;

enum ring_state { RING_EMPTY, RING_FULL };

typedef int (*ring_visit)(struct slot *s, void *arg);

int ring_init(ring_t *ring);
static const char *const names[] = { "empty", "full" };

/* Puts a value in; returns 0 when there is no room. */
static inline int *ring_push(ring_t *ring, uint32_t key, void *value)
{
    if (RING_NEXT(ring->tail) == ring->head) {
        return 0;
    }
    return &ring->tail;
}

#ifdef RING_DEBUG
void ring_dump(const ring_t *ring) { (void) ring; }
#endif
#endif
"""

CPP = """\
#include <vector>
#include "shape.hpp"

namespace geo::plane {

using Points = std::vector<Point>;
enum class Fill { None, Solid };

/// A polygon with straight sides.
template <typename T>
class Polygon : public Shape {
public:
    Polygon() = default;
    ~Polygon() override {}
    T area() const { return area_; }
    bool operator==(const Polygon& other) const { return area_ == other.area_; }
private:
    T area_;
};

template <typename T>
T perimeter(const Polygon<T>& p) { return T{}; }

int Grid<int>::cells() const { return 3; }
Grid<int>::~Grid() {}
struct Size { int w, h; };
}  // namespace geo::plane

extern "C" {
int plane_version(void) { return 3; }
}
"""

GO = """\
// Package cache keeps answers.
package cache

import (
    "fmt"
    clock "example.org/time/v2"
)

const DefaultSize = 128

var (
    errFull = fmt.Errorf("full")
    errGone = fmt.Errorf("gone")
)

// Store is what a cache stands on.
type Store interface {
    Get(key string) ([]byte, error)
}

type (
    Key  string
    // LRU forgets what was used longest ago.
    LRU[K comparable] struct {
        size int
    }
)

// New makes an empty cache.
func New(size int) *LRU[Key] {
    return &LRU[Key]{size: size}
}

func (c *LRU[K]) Put(key K, at clock.Time) error {
    return errFull
}

func (Key) String() string { return "" }
"""

RUST = """\
//! A small parser.
use std::collections::{BTreeMap, HashMap};
use crate::lexer::Token;
mod lexer;

pub const MAX_DEPTH: usize = 64;
static GREETING: &str = "hello";

/// A value of the language.
#[derive(Debug, Clone)]
pub enum Value<'a> {
    Number(f64),
    Text(&'a str),
}

pub struct Parser<'a> {
    tokens: Vec<Token<'a>>,
}

impl<'a> Parser<'a> {
    pub fn new(tokens: Vec<Token<'a>>) -> Self {
        Self { tokens }
    }

    /// Reads one value.
    pub fn value(&mut self) -> Option<Value<'a>> { None }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) }
}

pub trait Visit {
    fn enter(&mut self);
    fn leave(&mut self) {}
}

macro_rules! token {
    ($t:expr) => { Token::new($t) };
}

pub async fn parse(text: &str) -> Value<'_> { Value::Text(text) }

type Table = HashMap<String, Value<'static>>;

#[cfg(test)]
mod tests {
    #[test]
    fn reads_a_number() {}
}
"""

EXPECTED = {
    "c": (
        C,
        {
            "slot": "struct",
            "ring_t": "struct",
            "ring_state": "enum",
            "ring_visit": "type",
            "ring_push": "function",
            "ring_dump": "function",
            "RING_MAX": "constant",
            "RING_NEXT": "macro",
        },
        {"ring_init", "names"},
        ["stdint.h", "ring_config.h"],
    ),
    "cpp": (
        CPP,
        {
            "Points": "type",
            "Fill": "enum",
            "Polygon": "class",
            "perimeter": "function",
            "Grid.cells": "function",
            "Grid.~Grid": "function",
            "Size": "struct",
            "plane_version": "function",
        },
        {"Polygon.area", "Polygon.~Polygon", "Polygon.operator=="},
        ["vector", "shape.hpp"],
    ),
    "go": (
        GO,
        {
            "Store": "interface",
            "Key": "type",
            "LRU": "struct",
            "New": "function",
            "LRU.Put": "method",
            "Key.String": "method",
        },
        {"DefaultSize", "errFull", "errGone"},
        ["fmt", "example.org/time/v2"],
    ),
    "rust": (
        RUST,
        {
            "Value": "enum",
            "Parser": "struct",
            "Visit": "trait",
            "token": "macro",
            "parse": "function",
            "Table": "type",
            "tests": "module",
        },
        {
            "MAX_DEPTH",
            "GREETING",
            "Parser.new",
            "Parser.value",
            "Value.fmt",
            "Visit.enter",
            "Visit.leave",
            "tests.reads_a_number",
        },
        ["std::collections::{BTreeMap, HashMap}", "crate::lexer::Token", "lexer"],
    ),
}


@pytest.mark.parametrize("language", EXPECTED)
def test_every_definition_is_found_by_its_name_and_kind(language: str) -> None:
    source, pieces, inner, imports = EXPECTED[language]
    chunked = chunk_file(f"sample.{language}", language, source)
    by_symbol: dict[str, str] = {}
    for piece in chunked.pieces:
        by_symbol.setdefault(piece.symbol, piece.kind)
    assert chunked.parsed
    assert chunked.type == "code"
    assert {symbol: by_symbol.get(symbol) for symbol in pieces} == pieces
    assert inner <= {name for piece in chunked.pieces for name in piece.metadata.get("defines", ())}
    assert [name for piece in chunked.pieces for name in piece.metadata.get("imports", ())] == imports


@pytest.mark.parametrize(
    ("language", "source", "symbol", "signature", "doc"),
    [
        (
            "c",
            C,
            "ring_push",
            "static inline int *ring_push(ring_t *ring, uint32_t key, void *value)",
            "Puts a value in; returns 0 when there is no room.",
        ),
        ("cpp", CPP, "Polygon", "template <typename T> class Polygon : public Shape", "A polygon with straight sides."),
        ("go", GO, "New", "func New(size int) *LRU[Key]", "New makes an empty cache."),
        ("rust", RUST, "Value", "pub enum Value<'a>", "A value of the language."),
    ],
)
def test_a_definition_has_its_signature_and_the_comment_above_it(
    language: str, source: str, symbol: str, signature: str, doc: str
) -> None:
    piece = next(piece for piece in chunk_file("sample", language, source).pieces if piece.symbol == symbol)
    assert piece.metadata["signature"] == signature
    assert piece.metadata["doc"] == doc
    assert doc in piece.text


def test_attributes_above_a_definition_belong_to_it() -> None:
    value = next(piece for piece in chunk_file("a.rs", "rust", RUST).pieces if piece.symbol == "Value")
    assert value.text.startswith("/// A value of the language.\n#[derive(Debug, Clone)]\npub enum Value")
