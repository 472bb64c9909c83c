//! Converts arguments from script values, with errors that name the argument.

use model::Nanos;
use rquickjs::function::{FromParam, ParamRequirement, ParamsAccessor};
use rquickjs::{Ctx, Error, Exception, FromJs, Result, Value};

pub(super) fn type_error(ctx: &Ctx<'_>, message: &str) -> Error {
    Exception::throw_type(ctx, message)
}

/// Creates the error for the use of a user or group whose iteration has ended.
pub(super) fn ended(ctx: &Ctx<'_>) -> Error {
    Exception::throw_message(ctx, "the iteration of this user or group has ended")
}

/// An optional argument; `undefined` if omitted.
pub(super) struct Given<'js>(pub(super) Value<'js>);

impl<'js> FromParam<'js> for Given<'js> {
    fn param_requirement() -> ParamRequirement {
        ParamRequirement::optional()
    }

    fn from_param<'a>(params: &mut ParamsAccessor<'a, 'js>) -> Result<Self> {
        Ok(Self(if params.is_empty() {
            Value::new_undefined(params.ctx().clone())
        } else {
            params.arg()
        }))
    }
}

/// Converts a string.
pub(super) fn text<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<String> {
    let Some(string) = value.as_string() else {
        return Err(type_error(
            ctx,
            &format!("{what} must be a string, not {}", kind(value)),
        ));
    };
    string
        .to_string()
        .map_err(|_| type_error(ctx, &format!("{what} contains half a surrogate pair")))
}

/// Converts a URL: a string, or a `URL` object.
pub(super) fn url_text<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<String> {
    match href(value) {
        Some(href) => Ok(href),
        None => text(ctx, value, what),
    }
}

/// Returns the text of a `URL` object.
pub(super) fn href(value: &Value<'_>) -> Option<String> {
    let object = value.as_object()?;
    let href = object.get::<_, Value<'_>>("href");
    let href = href.map_err(|_| object.ctx().catch()).ok()?;
    href.as_string()?.to_string().ok()
}

/// Converts a string, number or boolean to text.
pub(super) fn scalar<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<String> {
    if let Some(flag) = value.as_bool() {
        return Ok(flag.to_string());
    }
    if value.is_number() {
        return rquickjs::Coerced::<String>::from_js(ctx, value.clone()).map(|text| text.0);
    }
    if value.is_string() {
        return text(ctx, value, what);
    }
    Err(type_error(
        ctx,
        &format!(
            "{what} must be a string, number or boolean, not {}",
            kind(value)
        ),
    ))
}

/// Converts a boolean.
pub(super) fn boolean<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<bool> {
    value.as_bool().ok_or_else(|| {
        let refusal = format!("{what} must be true or false, not {}", kind(value));
        type_error(ctx, &refusal)
    })
}

/// Converts a whole number within a range.
pub(super) fn whole<'js>(
    ctx: &Ctx<'js>,
    value: &Value<'js>,
    what: &str,
    (low, high): (u32, u32),
) -> Result<u32> {
    let number = value
        .as_number()
        .filter(|n| n.fract() == 0.0 && (f64::from(low)..=f64::from(high)).contains(n));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole and in range"
    )]
    number.map(|number| number as u32).ok_or_else(|| {
        type_error(
            ctx,
            &format!(
                "{what} must be a whole number from {low} to {high}, not {}",
                shown(value)
            ),
        )
    })
}

/// Converts a time span: milliseconds, or a text such as "500ms".
pub(super) fn span<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<Nanos> {
    let parsed = match (value.as_number(), value.as_string()) {
        (Some(millis), _) if millis.is_finite() && millis >= 0.0 => {
            Some(Nanos::from_secs_f64(millis / 1e3))
        }
        (_, Some(text)) => text.to_string().ok().and_then(|text| parse_span(&text)),
        _ => None,
    };
    parsed.ok_or_else(|| {
        let message = format!(
            "{what} must be a time such as \"500ms\", \"2s\", \"1.5m\" or a number of milliseconds, not {}",
            shown(value)
        );
        type_error(ctx, &message)
    })
}

/// Converts an optional time span.
pub(super) fn optional_span<'js>(
    ctx: &Ctx<'js>,
    value: &Value<'js>,
    what: &str,
) -> Result<Option<Nanos>> {
    if value.is_undefined() {
        Ok(None)
    } else {
        span(ctx, value, what).map(Some)
    }
}

/// Parses a time span: `250us`, `500ms`, `2s`, `1.5m`, `1h`.
pub(super) fn parse_span(text: &str) -> Option<Nanos> {
    let text = text.trim();
    let unit = text.find(|c: char| c.is_ascii_alphabetic() || c == 'µ')?;
    let (number, unit) = text.split_at_checked(unit)?;
    let seconds = match unit {
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let number = number.trim_end();
    let plain = !number.is_empty()
        && number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number: f64 = plain.then(|| number.parse().ok())??;
    Some(Nanos::from_secs_f64(number * seconds))
}

/// Returns the type of a value, for messages.
pub(super) fn kind(value: &Value<'_>) -> &'static str {
    if value.is_promise() {
        "a promise (is an `await` missing?)"
    } else {
        value.type_name()
    }
}

/// Formats a value for messages: texts and numbers as they are, other values as their type.
pub(super) fn shown(value: &Value<'_>) -> String {
    if let Some(number) = value.as_number() {
        return number.to_string();
    }
    match value.as_string().and_then(|text| text.to_string().ok()) {
        Some(text) => format!("{:?}", text.chars().take(60).collect::<String>()),
        None => kind(value).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_span;
    use model::Nanos;

    #[test]
    fn spans_of_time() {
        assert_eq!(parse_span("250us"), Some(Nanos::from_micros(250)));
        assert_eq!(parse_span("500ms"), Some(Nanos::from_millis(500)));
        assert_eq!(parse_span(" 1.5 m "), Some(Nanos::from_secs(90)));
        assert_eq!(parse_span("1h"), Some(Nanos::from_secs(3600)));
        for bad in [
            "", "5", "s", "-1s", "1 day", "1e3s", "1.2.3s", "infs", "5 s s",
        ] {
            assert_eq!(parse_span(bad), None, "{bad}");
        }
    }
}
