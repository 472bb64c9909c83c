//! `env(name, fallback)`.

use rquickjs::function::Opt;
use rquickjs::{Ctx, Exception, IntoJs, Result, Value};

use super::Natives;
use super::arg::{Given, text};
use crate::env::Variable;

pub(super) fn install<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "env",
        move |ctx: Ctx<'js>,
              Given(name): Given<'js>,
              fallback: Opt<Value<'js>>|
              -> Result<Value<'js>> {
            let name = text(&ctx, &name, "env(name, fallback): the name")?;
            let found = state.material.env.get(&name);
            let missing = match (found, fallback.0) {
                (Variable::Set(value), _) => return value.into_js(&ctx),
                (_, Some(fallback)) => return Ok(fallback),
                (Variable::Unset, None) => format!(
                    "the environment has no variable {name}: set it, or pass --env {name}=VALUE"
                ),
                (Variable::NotPassed, None) => format!(
                    "pass --env {name}=VALUE, or --env {name} to take it from the environment"
                ),
            };
            let message = format!("env({name:?}) has no value: {missing}");
            Err(Exception::throw_message(&ctx, &message))
        },
    )
}
