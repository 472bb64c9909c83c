//! Comma-separated lists in flags.

/// Reads each part of `text` with `part`. Empty parts are left out.
pub(crate) fn parse<T>(
    text: &str,
    part: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let parts = text.split(',').map(str::trim);
    parts.filter(|text| !text.is_empty()).map(part).collect()
}
