//! `audit.toml`: the figures of a written report, copied by hand.

mod claims;
mod levels;
mod printed;
mod sort;
mod table;
mod text;

use toml::de::DeTable;

use crate::import_error::ImportError;
use crate::results::Results;
use table::Table;
use text::{Form, line_of};

/// A template of `audit.toml` to fill in.
pub const NEW_FORM: &str = include_str!("form/new.toml");

/// Reads an `audit.toml`. `name` is the name of the file, for messages.
pub fn read_form(text: &str, name: &str) -> Result<Results, ImportError> {
    let parsed = DeTable::parse(text).map_err(|why| ImportError::Form {
        file: name.to_owned(),
        line: why.span().map_or(1, |span| line_of(text, span.start)),
        why: why.message().to_owned(),
    })?;
    let form = Form { text, name };
    let mut top = Table::new(form, parsed.get_ref(), None);
    let title = top.text("title")?.unwrap_or_else(|| name.to_owned());
    let source = top.text("source")?.unwrap_or_else(|| name.to_owned());
    let defaults = levels::Defaults::read(&mut top, source)?;
    let mut results = Results {
        source: title,
        form: "audit.toml",
        ..Results::default()
    };
    for table in top.tables("level")? {
        let level = levels::level(table, &defaults, &results.levels)?;
        results.levels.push(level);
    }
    for claim in top.tables("claim")? {
        results
            .claims
            .push(claims::claim(claim, &defaults, &results.levels)?);
    }
    top.close()?;
    if results.levels.is_empty() && results.claims.is_empty() {
        return Err(form.refuse(0, "the file has neither a [[level]] nor a [[claim]]"));
    }
    Ok(results)
}
