use std::mem;

use model::{Fault, FaultKind};

use super::token::{self, Aggregate, Step, Token};
use super::value::Count;
use crate::fault::protocol;
use crate::frames::{Scan, Scanner};

/// Maximum depth of nested aggregates. Replies of Redis have fewer than ten levels.
const DEPTH_LIMIT: usize = 32;

/// Finds the end of a reply, and checks that all of it is well-formed. A reply that arrives in pieces is scanned once.
#[derive(Debug)]
pub(super) struct Replies {
    limit: usize,
    /// The place of the next token.
    at: usize,
    /// The aggregates around that place. Empty between two replies, but its small memory is used again.
    levels: Vec<Level>,
    /// Whether attributes precede the next value.
    attributed: bool,
}

#[derive(Clone, Copy, Debug)]
enum Level {
    /// An aggregate that lacks this number of elements.
    Elements(u32),
    /// Attributes that lack this number of keys and values.
    Attributes(u32),
    /// A streamed array or set.
    Stream,
    /// A streamed map, which ends only after a value.
    StreamedMap { lacks_value: bool },
    /// A streamed string.
    Chunks,
}

impl Replies {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            at: 0,
            levels: Vec::new(),
            attributed: false,
        }
    }

    /// Handles a token. Returns whether it ends the reply.
    fn on_token(&mut self, token: Token<'_>) -> Result<bool, Fault> {
        let is_in_chunks = matches!(self.levels.last(), Some(Level::Chunks));
        if is_in_chunks != matches!(token, Token::Chunk(_)) {
            return Err(protocol(
                "a Redis string in chunks is interrupted, or a chunk is outside of one",
            ));
        }
        let attributed = mem::take(&mut self.attributed);
        match token {
            Token::Chunk([]) => {
                self.levels.pop();
                Ok(self.end_value())
            }
            Token::Chunk(_) => Ok(false),
            Token::Chunked => self.enter(Level::Chunks),
            Token::Attributes(_) if attributed => {
                Err(protocol("a Redis value has attributes twice"))
            }
            Token::Attributes(0) => {
                self.attributed = true;
                Ok(false)
            }
            Token::Attributes(count) => self.enter(Level::Attributes(count)),
            Token::Aggregate(Aggregate::Push, _) if !self.levels.is_empty() => {
                Err(protocol("a Redis push is inside of another value"))
            }
            Token::Scalar(_) | Token::Aggregate(_, Count::Known(0)) => Ok(self.end_value()),
            Token::Aggregate(_, Count::Known(count)) => self.enter(Level::Elements(count)),
            Token::Aggregate(Aggregate::Map, Count::Streamed) => {
                self.enter(Level::StreamedMap { lacks_value: false })
            }
            Token::Aggregate(_, Count::Streamed) => self.enter(Level::Stream),
            Token::End => match self.levels.pop() {
                Some(Level::Stream | Level::StreamedMap { lacks_value: false }) if !attributed => {
                    Ok(self.end_value())
                }
                _ => Err(protocol(
                    "the end of a streamed Redis aggregate is misplaced",
                )),
            },
        }
    }

    fn enter(&mut self, level: Level) -> Result<bool, Fault> {
        if self.levels.len() == DEPTH_LIMIT {
            return Err(Fault::target(
                FaultKind::TooLarge,
                format!("a Redis reply is nested deeper than {DEPTH_LIMIT} levels"),
            ));
        }
        self.levels.push(level);
        Ok(false)
    }

    /// Counts a complete value in the aggregate around it, which may complete that too. Returns whether the reply ends.
    fn end_value(&mut self) -> bool {
        while let Some(level) = self.levels.last_mut() {
            match level {
                Level::Elements(1) => drop(self.levels.pop()),
                Level::Attributes(1) => {
                    self.levels.pop();
                    self.attributed = true;
                    return false;
                }
                Level::Elements(left) | Level::Attributes(left) => {
                    *left -= 1;
                    return false;
                }
                Level::StreamedMap { lacks_value } => {
                    *lacks_value = !*lacks_value;
                    return false;
                }
                Level::Stream | Level::Chunks => return false,
            }
        }
        true
    }
}

impl Scanner for Replies {
    type Head = ();

    #[inline]
    fn scan(&mut self, bytes: &[u8]) -> Result<Scan<()>, Fault> {
        loop {
            match token::read(bytes, self.at, self.limit)? {
                Step::Lacks(missing) => return Ok(Scan::Lacks(missing)),
                Step::Token(token, next) => {
                    self.at = next;
                    if self.on_token(token)? {
                        return Ok(Scan::Whole((), mem::take(&mut self.at)));
                    }
                }
            }
        }
    }
}
