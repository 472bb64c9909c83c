use proptest::collection::vec;
use proptest::prelude::*;

use super::super::super::value::{Items, Reply, Value};

/// A [`Value`] that outlives the buffer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree {
    Null,
    Boolean(bool),
    Integer(i64),
    Double(String),
    BigNumber(String),
    Simple(String),
    Blob(Vec<u8>),
    Verbatim(String),
    Chunked(Vec<Vec<u8>>),
    Error(String),
    Array(Vec<Tree>),
    Set(Vec<Tree>),
    Map(Vec<Tree>),
    Push(Vec<Tree>),
    With(Vec<Tree>, Box<Tree>),
}

pub(super) fn keep(reply: Reply<'_>) -> Tree {
    let all = |items: Items<'_>| items.elements().map(keep).collect();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let value = match reply.value {
        Value::Null => Tree::Null,
        Value::Boolean(is) => Tree::Boolean(is),
        Value::Integer(number) => Tree::Integer(number),
        Value::Double(number) => Tree::Double(number.to_string()),
        Value::BigNumber(digits) => Tree::BigNumber(digits.into()),
        Value::Simple(bytes) => Tree::Simple(text(bytes)),
        Value::Blob(bytes) => Tree::Blob(bytes.into()),
        Value::Verbatim {
            format,
            text: bytes,
        } => Tree::Verbatim(text(&format) + ":" + &text(bytes)),
        Value::Chunked(chunks) => Tree::Chunked(chunks.parts().map(<[u8]>::to_vec).collect()),
        Value::Error(error) => Tree::Error(error.text().into()),
        Value::Array(items) => Tree::Array(all(items)),
        Value::Set(items) => Tree::Set(all(items)),
        Value::Map(items) => Tree::Map(all(items)),
        Value::Push(items) => Tree::Push(all(items)),
    };
    match reply.attributes {
        None => value,
        Some(attributes) => Tree::With(all(attributes), Box::new(value)),
    }
}

/// Writes a value in the way of the specification.
pub(super) fn write(tree: &Tree, out: &mut Vec<u8>) {
    let line = |out: &mut Vec<u8>, text: String| out.extend_from_slice((text + "\r\n").as_bytes());
    let sized = |out: &mut Vec<u8>, letter: char, bytes: &[u8]| {
        line(out, format!("{letter}{}", bytes.len()));
        out.extend_from_slice(bytes);
        out.extend_from_slice(b"\r\n");
    };
    let all = |out: &mut Vec<u8>, letter: char, divisor: usize, trees: &[Tree]| {
        // Half of the aggregates are streamed; pushes and attributes cannot be.
        let streamed = trees.len() % 4 >= 2 && !matches!(letter, '>' | '|');
        line(
            out,
            if streamed {
                format!("{letter}?")
            } else {
                format!("{letter}{}", trees.len() / divisor)
            },
        );
        for tree in trees {
            write(tree, out);
        }
        if streamed {
            line(out, ".".into());
        }
    };
    match tree {
        Tree::Null => line(out, "_".into()),
        Tree::Boolean(is) => line(out, format!("#{}", if *is { 't' } else { 'f' })),
        Tree::Integer(number) => line(out, format!(":{number}")),
        Tree::Double(text) => line(out, format!(",{text}")),
        Tree::BigNumber(digits) => line(out, format!("({digits}")),
        Tree::Simple(text) => line(out, format!("+{text}")),
        Tree::Blob(bytes) => sized(out, '$', bytes),
        Tree::Verbatim(text) => sized(out, '=', text.as_bytes()),
        Tree::Error(text) => sized(out, '!', text.as_bytes()),
        Tree::Chunked(chunks) => {
            line(out, "$?".into());
            for chunk in chunks {
                sized(out, ';', chunk);
            }
            line(out, ";0".into());
        }
        Tree::Array(trees) => all(out, '*', 1, trees),
        Tree::Set(trees) => all(out, '~', 1, trees),
        Tree::Map(trees) => all(out, '%', 2, trees),
        Tree::Push(trees) => all(out, '>', 1, trees),
        Tree::With(attributes, value) => {
            all(out, '|', 2, attributes);
            write(value, out);
        }
    }
}

pub(super) fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        Just(Tree::Null),
        any::<bool>().prop_map(Tree::Boolean),
        any::<i64>().prop_map(Tree::Integer),
        (-1e9..1e9).prop_map(|number: f64| Tree::Double(number.to_string())),
        "-?[0-9]{1,30}".prop_map(Tree::BigNumber),
        "[^\\r\\n]{0,9}".prop_map(Tree::Simple),
        vec(any::<u8>(), 0..20).prop_map(Tree::Blob),
        "(txt|mkd):[a-z\\r\\n]{0,9}".prop_map(Tree::Verbatim),
        "[A-Z]{1,5} [a-z\\r\\n]{0,9}".prop_map(Tree::Error),
        vec(vec(any::<u8>(), 1..9), 0..3).prop_map(Tree::Chunked),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let even = |inner: BoxedStrategy<Tree>| {
            vec((inner.clone(), inner), 0..3).prop_map(|pairs| {
                pairs
                    .into_iter()
                    .flat_map(|(key, value)| [key, value])
                    .collect::<Vec<_>>()
            })
        };
        let plain = inner.clone().prop_filter("no attributes twice", |tree| {
            !matches!(tree, Tree::With(..))
        });
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Tree::Array),
            vec(inner.clone(), 0..4).prop_map(Tree::Set),
            even(inner.clone().boxed()).prop_map(Tree::Map),
            (even(inner.boxed()), plain)
                .prop_map(|(pairs, value)| Tree::With(pairs, Box::new(value))),
        ]
    })
}
