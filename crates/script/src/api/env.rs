//! `env(name, fallback)`.

use rquickjs::function::Opt;
use rquickjs::{Exception, IntoJs, Result, Value};

use super::arg::{Given, text};
use super::native::{Call, Natives};
use crate::env::Variable;

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add("env", env)
}

fn env<'js>(
    call: &Call<'_, 'js>,
    Given(name): Given<'js>,
    Opt(fallback): Opt<Value<'js>>,
) -> Result<Value<'js>> {
    let name = text(&call.ctx, &name, "env(name, fallback): the name")?;
    let found = call.state.material.env.get(&name);
    let missing = match (found, fallback) {
        (Variable::Set(value), _) => return value.into_js(&call.ctx),
        (_, Some(fallback)) => return Ok(fallback),
        (Variable::Unset, None) => {
            format!("the environment has no variable {name}: set it, or pass --env {name}=VALUE")
        }
        (Variable::NotPassed, None) => {
            format!("pass --env {name}=VALUE, or --env {name} to take it from the environment")
        }
    };
    let message = format!("env({name:?}) has no value: {missing}");
    Err(Exception::throw_message(&call.ctx, &message))
}
