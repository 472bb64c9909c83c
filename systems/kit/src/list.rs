//! Lists in flags: parts with commas between them.

/// Each part of `text` as `part` reads it; empty parts are left out.
pub(crate) fn parse<T>(
    text: &str,
    part: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let parts = text.split(',').map(str::trim);
    parts.filter(|text| !text.is_empty()).map(part).collect()
}
