//! Filters over metadata. [`Filter::read`] parses a filter and enforces its limits, [`Filter::matches`] evaluates it in
//! the process, and [`Filter::tree`] is the form in which a script evaluates it inside Redis.
//!
//! A comparison with a missing field, or with a value of another type, is false; this includes `ne`. Numbers are
//! compared as 64-bit floating-point numbers, and strings byte by byte.

mod evaluate;
mod read;
mod scalar;
#[cfg(test)]
pub(crate) mod tests;
mod tree;

pub(crate) use read::FilterError;
use scalar::Scalar;

/// Maximum depth of `$and`, `$or` and `$not`, including the conditions inside.
pub(crate) const DEEPEST: usize = 5;
/// Maximum number of conditions.
pub(crate) const MOST_CLAUSES: usize = 20;
/// Maximum number of objects. Conditions alone do not limit a filter, because an empty object has none.
pub(crate) const MOST_OBJECTS: usize = 100;
/// Maximum number of keys in the path of a field. JSON with more levels is not read.
pub(crate) const LONGEST_PATH: usize = 128;
/// Maximum number of values of one `in`.
pub(crate) const MOST_VALUES: usize = 100;

/// A condition on metadata. The default matches everything.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Filter(Node);

impl Default for Filter {
    fn default() -> Self {
        Self(Node::All(Vec::new()))
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Clause(Path, Test),
}

/// A field of the metadata: the keys of nested objects.
#[derive(Clone, Debug, PartialEq)]
struct Path(Vec<String>);

#[derive(Clone, Debug, PartialEq)]
enum Test {
    Exists(bool),
    Equal(Scalar),
    NotEqual(Scalar),
    Less(Scalar),
    LessOrEqual(Scalar),
    Greater(Scalar),
    GreaterOrEqual(Scalar),
    StartsWith(String),
    EndsWith(String),
    /// The field is a string with this part, or an array with this item.
    Contains(Scalar),
    In(Vec<Scalar>),
}
