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
