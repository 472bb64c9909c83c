//! Tables of test data.

use rquickjs::{Array, Ctx, Exception, IntoJs, Result, Undefined, Value};

use super::Natives;
use super::arg::{kind, text, type_error};
use super::options::{each, unknown};
use crate::data::{Format, UniqueTable};
use crate::stack::{first_place, stack_of};

const TAKES: [&str; 3] = ["unique", "cycle", "random"];

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    opening(natives)?;
    rows(natives)
}

fn opening<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "openTable",
        move |ctx: Ctx<'js>,
              name: String,
              path: Value<'js>,
              options: Value<'js>|
              -> Result<Array<'js>> {
            let call = format!("{name}(path, options)");
            let path = text(&ctx, &path, &format!("{call}: the path"))?;
            if !state.material.loading.get() {
                let message = format!(
                    "{call}: files can be read only while the module loads; make this call at the top level"
                );
                return Err(type_error(&ctx, &message));
            }
            let csv = name == "csv";
            let (mut take, mut separator) = (TAKES[1].to_owned(), b',');
            let known: &[&str] = if csv {
                &["take", "separator"]
            } else {
                &["take"]
            };
            each(&ctx, &options, &call, known, |key, value| {
                let value = text(&ctx, &value, &format!("{call}: `{key}`"))?;
                match (key, value.as_bytes()) {
                    ("take", _) => take = value,
                    (_, [byte]) => separator = *byte,
                    _ => {
                        return Err(type_error(
                            &ctx,
                            &format!("{call}: `separator` must be one ASCII character"),
                        ));
                    }
                }
                Ok(())
            })?;
            if !TAKES.contains(&take.as_str()) {
                let message = unknown("value of `take`", &take, &TAKES);
                return Err(type_error(&ctx, &format!("{call}: {message}")));
            }
            let format = if csv {
                Format::Csv(separator)
            } else {
                Format::Json
            };
            let number = state.material.data.open(&path, format);
            let number = number.map_err(|why| Exception::throw_message(&ctx, &why))?;
            let length: usize = state
                .material
                .data
                .table(number)
                .map_or(0, |table| table.len());
            if take == "unique" {
                let stack = stack_of(&ctx);
                state.material.data.note_unique(UniqueTable {
                    path,
                    rows: length,
                    location: stack.and_then(|stack| first_place(&state.material.bundle, &stack)),
                });
            }
            let about = Array::new(ctx.clone())?;
            about.set(0, number)?;
            about.set(1, length)?;
            about.set(2, take)?;
            Ok(about)
        },
    )
}

fn rows<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "rowAt",
        move |ctx: Ctx<'js>, number: usize, index: Value<'js>| -> Result<Value<'js>> {
            let Some(at) = index.as_number() else {
                return Err(type_error(
                    &ctx,
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
            let table = state.material.data.table(number);
            match row
                .zip(table.as_ref())
                .and_then(|(row, table)| table.row(row))
            {
                Some(row) => ctx.json_parse(row),
                None => Undefined.into_js(&ctx),
            }
        },
    )
}
