//! A table of the form. The reader takes the keys one by one, and the form is refused if any key remains.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::printed;
use super::sort::{Sort, scaled};
use super::text::Form;
use crate::claim::Span;
use crate::figure::Figure;
use crate::import_error::ImportError;

pub(super) struct Table<'a> {
    form: Form<'a>,
    entries: &'a DeTable<'a>,
    offset: usize,
    /// The place of all numbers whose own place is not stated.
    at: Option<String>,
    known: Vec<&'static str>,
}

impl<'a> Table<'a> {
    pub(super) fn new(form: Form<'a>, table: &'a DeTable<'a>, offset: Option<usize>) -> Self {
        Self {
            form,
            entries: table,
            offset: offset.unwrap_or(0),
            at: None,
            known: Vec::new(),
        }
    }

    fn take(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.known.push(key);
        self.entries
            .iter()
            .find(|(name, _)| name.get_ref() == key)
            .map(|(_, value)| value)
    }

    pub(super) fn refuse(&self, why: impl Into<String>) -> ImportError {
        self.form.refuse(self.offset, why)
    }

    /// Returns the place of the table: the value of its key `at`, or else its line in the form.
    pub(super) fn place(&mut self, source: &str) -> Result<String, ImportError> {
        let given = self.text("at")?;
        let place = match given {
            Some(line) if line.starts_with(|first: char| first.is_ascii_digit()) => {
                format!("{source}:{line}")
            }
            Some(place) => place,
            None => self.form.place(self.offset),
        };
        self.at = Some(place.clone());
        Ok(place)
    }

    pub(super) fn text(&mut self, key: &'static str) -> Result<Option<String>, ImportError> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        match value.get_ref() {
            DeValue::String(text) => Ok(Some(text.to_string())),
            DeValue::Integer(number) => Ok(Some(number.as_str().to_owned())),
            other => Err(self.form.refuse(
                value.span().start,
                format!("`{key}` must be text in quotes, not {}", other.type_str()),
            )),
        }
    }

    /// Returns the value of a key if it is a string.
    pub(super) fn words(&self, key: &str) -> Option<&'a str> {
        let (_, value) = self
            .entries
            .iter()
            .find(|(name, _)| name.get_ref() == key)?;
        match value.get_ref() {
            DeValue::Table(inner) => inner.get("value")?.get_ref().as_str(),
            plain => plain.as_str(),
        }
    }

    /// Whether the value of the key is `"unknown"`.
    pub(super) fn says_unknown(&mut self, key: &'static str) -> bool {
        let value = self.take(key);
        value.is_some_and(|value| value.get_ref().as_str() == Some("unknown"))
    }

    pub(super) fn flag(&mut self, key: &'static str) -> Result<bool, ImportError> {
        let Some(value) = self.take(key) else {
            return Ok(false);
        };
        value.get_ref().as_bool().ok_or_else(|| {
            self.form
                .refuse(value.span().start, format!("`{key}` must be true or false"))
        })
    }

    pub(super) fn texts(&mut self, key: &'static str) -> Result<Vec<String>, ImportError> {
        let Some(value) = self.take(key) else {
            return Ok(Vec::new());
        };
        let refused = || {
            self.form.refuse(
                value.span().start,
                format!("`{key}` must be a text or a list of texts"),
            )
        };
        match value.get_ref() {
            DeValue::String(text) => Ok(vec![text.to_string()]),
            DeValue::Array(all) => all
                .iter()
                .map(|one| {
                    one.get_ref()
                        .as_str()
                        .map(str::to_owned)
                        .ok_or_else(refused)
                })
                .collect(),
            _ => Err(refused()),
        }
    }

    pub(super) fn map(
        &mut self,
        key: &'static str,
    ) -> Result<BTreeMap<String, String>, ImportError> {
        let Some(value) = self.take(key) else {
            return Ok(BTreeMap::new());
        };
        let refused = || {
            self.form.refuse(
                value.span().start,
                format!("`{key}` must be a table of texts: {{ version = \"2\" }}"),
            )
        };
        let table = value.get_ref().as_table().ok_or_else(refused)?;
        let pair = |(name, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
            let name: &std::borrow::Cow<'_, str> = name.get_ref();
            let text = match value.get_ref() {
                DeValue::String(text) => text.to_string(),
                DeValue::Integer(number) => number.as_str().to_owned(),
                _ => return Err(refused()),
            };
            Ok((name.to_string(), text))
        };
        table.iter().map(pair).collect()
    }

    /// Returns the tables of `[[key]]`.
    pub(super) fn tables(&mut self, key: &'static str) -> Result<Vec<Table<'a>>, ImportError> {
        let form = self.form;
        let Some(value) = self.take(key) else {
            return Ok(Vec::new());
        };
        let refused = |at| form.refuse(at, format!("`{key}` must be a list of tables: [[{key}]]"));
        let all = value
            .get_ref()
            .as_array()
            .ok_or_else(|| refused(value.span().start))?;
        all.iter()
            .map(|one| match one.get_ref() {
                DeValue::Table(table) => Ok(Table::new(form, table, Some(one.span().start))),
                _ => Err(refused(one.span().start)),
            })
            .collect()
    }

    pub(super) fn number(
        &mut self,
        key: &'static str,
        sort: Sort,
        unit: &str,
    ) -> Result<Option<Figure>, ImportError> {
        let found = self.take(key);
        found
            .map(|value| self.figure(key, value, sort, unit))
            .transpose()
    }

    pub(super) fn numbers(
        &mut self,
        key: &'static str,
        sort: Sort,
        unit: &str,
    ) -> Result<Vec<Figure>, ImportError> {
        let Some(value) = self.take(key) else {
            return Ok(Vec::new());
        };
        let Some(all) = value.get_ref().as_array() else {
            return Ok(vec![self.figure(key, value, sort, unit)?]);
        };
        all.iter()
            .map(|one| self.figure(key, one, sort, unit))
            .collect()
    }

    /// Returns all percentiles of the table (keys such as `p50`, or `p99.9` in quotes), in ascending order.
    pub(super) fn percentiles(&mut self, unit: &str) -> Result<Vec<(f64, Figure)>, ImportError> {
        let mut found = Vec::new();
        for (name, value) in self.entries {
            let Some(q) = percentile(name.get_ref()) else {
                continue;
            };
            found.push((q, self.figure(name.get_ref(), value, Sort::Time, unit)?));
        }
        found.sort_by(|one, other| one.0.total_cmp(&other.0));
        Ok(found)
    }

    /// Reads named counts: `failures = { timeout = 12 }`.
    pub(super) fn named_counts(
        &mut self,
        key: &'static str,
    ) -> Result<Vec<(String, Figure)>, ImportError> {
        let Some(value) = self.take(key) else {
            return Ok(Vec::new());
        };
        let Some(table) = value.get_ref().as_table() else {
            return Err(self.form.refuse(
                value.span().start,
                format!("`{key}` must be a table of counts: {{ timeout = 12 }}"),
            ));
        };
        let pair = |(name, value): (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
            let figure = self.figure(name.get_ref(), value, Sort::Count, "")?;
            Ok((name.get_ref().to_string(), figure))
        };
        table.iter().map(pair).collect()
    }

    /// Reads one number or a range: `["4x", "6x"]`, `"4-6x"`. `"1000+"` becomes 1000. A percentage with a sign is a
    /// factor: `+42%` becomes 1.42.
    pub(super) fn span(
        &mut self,
        key: &'static str,
        sort: Sort,
    ) -> Result<Option<Span>, ImportError> {
        let found = self.span_and_cut(key, sort)?;
        Ok(found.map(|(span, _)| span))
    }

    /// Like `span`, but also returns the additional error of a number that was truncated instead of rounded.
    pub(super) fn span_and_cut(
        &mut self,
        key: &'static str,
        sort: Sort,
    ) -> Result<Option<(Span, f64)>, ImportError> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        let both = match value.get_ref() {
            DeValue::Array(all) => all.iter().collect(),
            _ => vec![value],
        };
        let mut figures = Vec::new();
        for one in both {
            let (text, offset) = (one.get_ref().as_str(), one.span().start);
            let text = text.map(|text| text.trim_end().trim_end_matches('+'));
            match text.map(|text| (text, printed::range(text))) {
                Some((_, Some((low, high)))) => {
                    figures.push(self.printed(key, &low, offset, (sort, "s"))?);
                    figures.push(self.printed(key, &high, offset, (sort, "s"))?);
                }
                Some((text, None)) => figures.push(self.printed(key, text, offset, (sort, "s"))?),
                None => figures.push(self.figure(key, one, sort, "s")?),
            }
        }
        let mut found: Option<(Span, f64)> = None;
        for figure in figures {
            let half = figure.slack / 2.0;
            let (low, high) = (figure.value - half, figure.value + half);
            let (known, cut) = found.get_or_insert((Span { low, high }, half));
            *known = Span {
                low: known.low.min(low),
                high: known.high.max(high),
            };
            *cut = cut.max(half);
        }
        Ok(found)
    }

    fn figure(
        &self,
        key: &str,
        value: &Spanned<DeValue<'a>>,
        sort: Sort,
        unit: &str,
    ) -> Result<Figure, ImportError> {
        let refused = |why: &str| {
            self.form
                .refuse(value.span().start, format!("`{key}`: {why}"))
        };
        let text = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().to_owned(),
            DeValue::Float(number) => number.as_str().to_owned(),
            DeValue::String(text) => text.to_string(),
            DeValue::Table(table) => {
                let mut inner = Table::new(self.form, table, Some(value.span().start));
                let at = inner.text("at")?;
                let number = inner.take("value").ok_or_else(|| {
                    refused("`value` is missing; a key with a dot needs quotes: \"p99.9\" = …")
                })?;
                inner.close()?;
                let mut figure = self.figure(key, number, sort, unit)?;
                figure.at = at.unwrap_or(figure.at);
                return Ok(figure);
            }
            _ => {
                return Err(refused(
                    "expected a number, a text such as \"1.4 ms\", or { value = …, at = … }",
                ));
            }
        };
        self.printed(key, &text, value.span().start, (sort, unit))
    }

    /// Reads a number in the format in which it was printed.
    fn printed(
        &self,
        key: &str,
        text: &str,
        offset: usize,
        (sort, unit): (Sort, &str),
    ) -> Result<Figure, ImportError> {
        let refused = |why: &str| self.form.refuse(offset, format!("`{key}`: {why}"));
        let text = if BOUNDS.contains(&key) {
            printed::without_bound(text)
        } else {
            text
        };
        let number = printed::read(text)
            .filter(|_| printed::range(text).is_none())
            .ok_or_else(|| refused(&no_number(text)))?;
        let (value, slack) = scaled(&number, sort, unit).map_err(|why| refused(&why))?;
        let place = self.at.clone();
        let place = place.unwrap_or_else(|| self.form.place(offset));
        Ok(Figure::rounded(value, slack, place))
    }

    /// Refuses the table if a key was not taken.
    pub(super) fn close(&mut self) -> Result<(), ImportError> {
        for (name, value) in self.entries {
            let name: &str = name.get_ref();
            if percentile(name).is_some() || self.known.contains(&name) {
                continue;
            }
            let hint = meant(&self.known, name);
            return Err(self
                .form
                .refuse(value.span().start, format!("unknown key `{name}`{hint}")));
        }
        Ok(())
    }
}

/// Keys whose number may have the sign of a limit: `limit = "< 100ms"`.
const BOUNDS: [&str; 2] = ["limit", "generator_cpu"];

/// Suggests the known name that is closest to a mistyped one. Empty if none is close.
pub(super) fn meant(known: &[&str], name: &str) -> String {
    let close = |known: &&&str| strsim::jaro_winkler(known, name) > 0.8;
    let meant = known.iter().find(close);
    meant.map_or(String::new(), |known| format!("; did you mean `{known}`?"))
}

pub(super) fn percentile(name: &str) -> Option<f64> {
    let digits = name.strip_prefix('p')?;
    let percent: f64 = digits.parse().ok()?;
    (0.0..100.0).contains(&percent).then_some(percent / 100.0)
}

fn no_number(text: &str) -> String {
    let hint = if text.contains(',') {
        "; use commas for thousands and a point for decimals"
    } else if printed::range(text).is_some() {
        return format!(
            "`{text}` is a range, but this key takes one number: write one table for each number"
        );
    } else if text.starts_with(['<', '>']) {
        "; a figure has no `<` or `>`"
    } else {
        ""
    };
    format!("`{text}` is not a number{hint}")
}
