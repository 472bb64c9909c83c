//! Parsing for the globals `URL` and `URLSearchParams`, by the WHATWG URL standard.

use rquickjs::{Array, Ctx, IntoJs, Result, Value};
use url::{Url, form_urlencoded, quirks};

use super::native::{Call, Natives};

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add("urlParse", url_parse)?;
    natives.add("urlSet", url_set)?;
    natives.add("formParse", form_parse)?;
    natives.add("formWrite", form_write)
}

/// Returns the parts, or the reason why the text is not a URL.
fn url_parse<'js>(call: &Call<'_, 'js>, text: String, base: Option<String>) -> Result<Value<'js>> {
    let parsed = match base {
        Some(base) => Url::parse(&base).and_then(|base| base.join(&text)),
        None => Url::parse(&text),
    };
    match parsed {
        Ok(url) => parts(&call.ctx, &url),
        Err(why) => why.to_string().into_js(&call.ctx),
    }
}

/// Returns the parts after a change. A value that the standard does not allow changes nothing.
fn url_set<'js>(
    call: &Call<'_, 'js>,
    text: String,
    part: String,
    value: String,
) -> Result<Value<'js>> {
    match Url::parse(&text) {
        Ok(mut url) => {
            set(&mut url, &part, &value);
            parts(&call.ctx, &url)
        }
        Err(why) => why.to_string().into_js(&call.ctx),
    }
}

fn form_parse<'js>(call: &Call<'_, 'js>, text: String) -> Result<Array<'js>> {
    let pairs = form_urlencoded::parse(text.as_bytes());
    list(&call.ctx, pairs.flat_map(|(name, value)| [name, value]))
}

fn form_write(_: &Call<'_, '_>, pairs: Vec<String>) -> String {
    let mut out = form_urlencoded::Serializer::new(String::new());
    for pair in pairs.chunks_exact(2) {
        out.append_pair(&pair[0], &pair[1]);
    }
    out.finish()
}

/// Returns the parts of a URL in the order in which the prelude reads them.
fn parts<'js>(ctx: &Ctx<'js>, url: &Url) -> Result<Value<'js>> {
    let origin = quirks::origin(url);
    let parts = [
        quirks::href(url),
        &origin,
        quirks::protocol(url),
        quirks::username(url),
        quirks::password(url),
        quirks::host(url),
        quirks::hostname(url),
        quirks::port(url),
        quirks::pathname(url),
        quirks::search(url),
        quirks::hash(url),
    ];
    list(ctx, parts).map(Array::into_value)
}

fn list<'js, T: AsRef<str>>(
    ctx: &Ctx<'js>,
    texts: impl IntoIterator<Item = T>,
) -> Result<Array<'js>> {
    let list = Array::new(ctx.clone())?;
    for (at, text) in texts.into_iter().enumerate() {
        list.set(at, text.as_ref())?;
    }
    Ok(list)
}

fn set(url: &mut Url, part: &str, value: &str) {
    // A refused value leaves the URL as it was, which is what the standard requires.
    let _ = match part {
        "protocol" => quirks::set_protocol(url, value),
        "username" => quirks::set_username(url, value),
        "password" => quirks::set_password(url, value),
        "host" => quirks::set_host(url, value),
        "hostname" => quirks::set_hostname(url, value),
        "port" => quirks::set_port(url, value),
        "pathname" => {
            quirks::set_pathname(url, value);
            Ok(())
        }
        "search" => {
            quirks::set_search(url, value);
            Ok(())
        }
        _ => {
            quirks::set_hash(url, value);
            Ok(())
        }
    };
}
