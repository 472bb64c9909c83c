//! Tables of test data.

use rquickjs::{Array, Ctx, Exception, IntoJs, Result, Undefined, Value};

use super::arg::{kind, text, type_error};
use super::native::{Call, Natives};
use super::options::{each, unknown};
use crate::data::{Format, UniqueTable};
use crate::stack::{first_place, stack_of};

const TAKES: [&str; 3] = ["unique", "cycle", "random"];

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add("openTable", open_table)?;
    natives.add("rowAt", row_at)
}

/// Opens a table with the call `csv` or `json`. Returns its number, its length and the order of rows.
fn open_table<'js>(
    native: &Call<'_, 'js>,
    name: String,
    path: Value<'js>,
    options: Value<'js>,
) -> Result<Array<'js>> {
    let Call { ctx, state, .. } = native;
    let material = &state.material;
    let call = format!("{name}(path, options)");
    let path = text(ctx, &path, &format!("{call}: the path"))?;
    if !material.loading.get() {
        let message = format!(
            "{call}: files can be read only while the module loads; make this call at the top level"
        );
        return Err(type_error(ctx, &message));
    }
    let (take, format) = table_options(ctx, &name, &call, &options)?;
    let number = material.data.open(&path, format);
    let number = number.map_err(|why| Exception::throw_message(ctx, &why))?;
    let table = material.data.table(number);
    let length = table.map_or(0, |table| table.len());
    if take == "unique" {
        let stack = stack_of(ctx);
        material.data.note_unique(UniqueTable {
            path,
            rows: length,
            location: stack.and_then(|stack| first_place(&material.bundle, &stack)),
        });
    }
    let about = Array::new(ctx.clone())?;
    about.set(0, number)?;
    about.set(1, length)?;
    about.set(2, take)?;
    Ok(about)
}

/// Converts the options of a table: the order of its rows, and its format.
fn table_options<'js>(
    ctx: &Ctx<'js>,
    name: &str,
    call: &str,
    options: &Value<'js>,
) -> Result<(String, Format)> {
    let (mut take, mut separator) = (TAKES[1].to_owned(), b',');
    let (format, known): (fn(u8) -> Format, &[&str]) = match name {
        "csv" => (Format::Csv, &["take", "separator"]),
        _ => (|_| Format::Json, &["take"]),
    };
    each(ctx, options, call, known, |key, value| {
        let value = text(ctx, &value, &format!("{call}: `{key}`"))?;
        match (key, value.as_bytes()) {
            ("take", _) => take = value,
            (_, [byte]) => separator = *byte,
            _ => {
                return Err(type_error(
                    ctx,
                    &format!("{call}: `separator` must be one ASCII character"),
                ));
            }
        }
        Ok(())
    })?;
    if !TAKES.contains(&take.as_str()) {
        let message = unknown("value of `take`", &take, &TAKES);
        return Err(type_error(ctx, &format!("{call}: {message}")));
    }
    Ok((take, format(separator)))
}

fn row_at<'js>(call: &Call<'_, 'js>, number: usize, index: Value<'js>) -> Result<Value<'js>> {
    let Some(at) = index.as_number() else {
        return Err(type_error(
            &call.ctx,
            &format!(
                "table.at(index): the index must be a number, not {}",
                kind(&index)
            ),
        ));
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "below zero and NaN become zero, checked before"
    )]
    let row = (at >= 0.0 && at.fract() == 0.0).then_some(at as usize);
    let table = call.state.material.data.table(number);
    match row
        .zip(table.as_ref())
        .and_then(|(row, table)| table.row(row))
    {
        Some(row) => call.ctx.json_parse(row),
        None => Undefined.into_js(&call.ctx),
    }
}
