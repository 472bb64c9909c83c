//! Option objects. Unknown keys are errors.

use rquickjs::atom::PredefinedAtom;
use rquickjs::{Array, Ctx, FromJs, JsIterator, Object, Result, Value};

use super::arg::{kind, shown, type_error};

/// Calls `set` for every option that the script sets. A key that is not in `known` throws an error that names the
/// nearest known key.
pub(super) fn each<'js>(
    ctx: &Ctx<'js>,
    options: &Value<'js>,
    call: &str,
    known: &[&str],
    mut set: impl FnMut(&str, Value<'js>) -> Result<()>,
) -> Result<()> {
    if options.is_undefined() {
        return Ok(());
    }
    let Some(object) = options
        .as_object()
        .filter(|_| !options.is_array() && !options.is_function())
    else {
        let message = format!(
            "{call}: the options must be an object, not {}",
            kind(options)
        );
        return Err(type_error(ctx, &message));
    };
    for property in object.props::<String, Value<'js>>() {
        let (key, value) = property?;
        if !known.contains(&key.as_str()) {
            return Err(type_error(
                ctx,
                &format!("{call}: {}", unknown("option", &key, known)),
            ));
        }
        if !value.is_undefined() {
            set(&key, value)?;
        }
    }
    Ok(())
}

/// Formats the error for an unknown key or word. `what` is the noun for it.
pub(super) fn unknown(what: &str, key: &str, known: &[&str]) -> String {
    let near = known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(key, name), name))
        .filter(|(distance, name)| *distance <= name.len().max(key.len()) / 3 + 1)
        .min();
    match near {
        Some((_, name)) => format!("unknown {what} `{key}`, did you mean `{name}`?"),
        None => format!(
            "unknown {what} `{key}`; expected one of: {}",
            known.join(", ")
        ),
    }
}

/// The value as an object.
pub(super) fn object_of<'v, 'js>(
    ctx: &Ctx<'js>,
    value: &'v Value<'js>,
    what: &str,
) -> Result<&'v Object<'js>> {
    let refusal = || format!("{what} must be an object, not {}", kind(value));
    value.as_object().ok_or_else(|| type_error(ctx, &refusal()))
}

/// Converts an object with scalar values, such as `{ a: 1, b: "x" }`, or a list of pairs such as `URLSearchParams`.
pub(super) fn pairs<'js>(
    ctx: &Ctx<'js>,
    value: &Value<'js>,
    what: &str,
) -> Result<Vec<(String, String)>> {
    let object = object_of(ctx, value, what)?;
    let mut pairs = Vec::new();
    for property in object.props::<String, Value<'js>>() {
        let (name, value) = property?;
        if value.is_undefined() {
            continue;
        }
        let text = super::arg::scalar(ctx, &value, &format!("{what}.{name}"))?;
        pairs.push((name, text));
    }
    if pairs.is_empty() {
        return listed_pairs(ctx, object, what);
    }
    Ok(pairs)
}

/// Converts the pairs of an object that is not plain, such as `URLSearchParams` or a map. Otherwise such an object
/// would count as empty.
fn listed_pairs<'js>(
    ctx: &Ctx<'js>,
    object: &Object<'js>,
    what: &str,
) -> Result<Vec<(String, String)>> {
    let iterator: Value<'js> = object.get(PredefinedAtom::SymbolIterator)?;
    if !iterator.is_function() {
        return Ok(Vec::new());
    }
    let list = JsIterator::<Array<'js>>::from_js(ctx, object.clone().into_value())?;
    let pair = |pair: Result<Array<'js>>| {
        let pair = pair?;
        let name: String = pair.get(0)?;
        let value: Value<'js> = pair.get(1)?;
        let text = super::arg::scalar(ctx, &value, &format!("{what}.{name}"))?;
        Ok((name, text))
    };
    list.map(pair).collect()
}

/// Converts an object of JSON pointers with scalar values, which become JSON text: `{ "/type": "said" }`.
pub(super) fn pointers<'js>(
    ctx: &Ctx<'js>,
    value: &Value<'js>,
    what: &str,
) -> Result<Vec<(String, String)>> {
    let object = object_of(ctx, value, what)?;
    let mut pairs = Vec::new();
    for property in object.props::<String, Value<'js>>() {
        let (at, value) = property?;
        let at = pointer(ctx, at, what)?;
        let what = format!("{what}[{at:?}]");
        pairs.extend(scalar_json(ctx, value, &what)?.map(|json| (at, json)));
    }
    Ok(pairs)
}

/// Like [`pointers`], but each value may also be a list of accepted values.
pub(super) fn pointers_to_any<'js>(
    ctx: &Ctx<'js>,
    value: &Value<'js>,
    what: &str,
) -> Result<Vec<(String, Vec<String>)>> {
    let object = object_of(ctx, value, what)?;
    let mut pairs = Vec::new();
    for property in object.props::<String, Value<'js>>() {
        let (at, value) = property?;
        let at = pointer(ctx, at, what)?;
        let what = format!("{what}[{at:?}]");
        let accepted = match value.as_array() {
            Some(list) => {
                let each = list.iter::<Value<'js>>();
                let each = each.map(|one| scalar_json(ctx, one?, &what));
                each.filter_map(Result::transpose).collect::<Result<_>>()?
            }
            None => scalar_json(ctx, value, &what)?.into_iter().collect(),
        };
        pairs.push((at, accepted));
    }
    Ok(pairs)
}

/// Converts a string, number, boolean or null to JSON text.
fn scalar_json<'js>(ctx: &Ctx<'js>, value: Value<'js>, what: &str) -> Result<Option<String>> {
    if !is_scalar(&value) {
        let refusal = format!(
            "{what} must be a string, number, boolean or null, not {}; use a separate pointer for each value inside it",
            shown(&value)
        );
        return Err(type_error(ctx, &refusal));
    }
    let json = ctx.json_stringify(value)?;
    json.map(|json| json.to_string()).transpose()
}

/// Whether a value is a JSON string, number, boolean or null.
fn is_scalar(value: &Value<'_>) -> bool {
    let number = value.as_number();
    value.is_string() || value.is_bool() || value.is_null() || number.is_some_and(f64::is_finite)
}

/// Checks a JSON pointer.
pub(super) fn pointer(ctx: &Ctx<'_>, at: String, what: &str) -> Result<String> {
    let refusal = if !at.is_empty() && !at.starts_with('/') {
        format!("{what}: a JSON pointer must begin with `/`, but {at:?} does not")
    } else if has_stray_tilde(&at) {
        format!(
            "{what}: {at:?} has a `~` without 0 or 1; in a JSON pointer, write `~0` for `~` and `~1` for `/`"
        )
    } else {
        return Ok(at);
    };
    Err(type_error(ctx, &refusal))
}

fn has_stray_tilde(at: &str) -> bool {
    let mut behind = at.split('~').skip(1);
    behind.any(|rest| !rest.starts_with(['0', '1']))
}

#[cfg(test)]
mod tests {
    use super::unknown;

    #[test]
    fn a_slip_of_the_pen_is_understood() {
        assert_eq!(
            unknown("option", "jsn", &["json", "form"]),
            "unknown option `jsn`, did you mean `json`?"
        );
        assert_eq!(
            unknown("option", "timout", &["name", "timeout"]),
            "unknown option `timout`, did you mean `timeout`?"
        );
        assert_eq!(
            unknown("option", "zzzzzz", &["json", "form"]),
            "unknown option `zzzzzz`; expected one of: json, form"
        );
    }
}
