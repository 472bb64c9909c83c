//! The environment variables that `--env` passes to a scenario.

use std::ffi::OsString;

use anyhow::bail;
use script::Env;

use crate::screen::say;

/// Reads the values of `--env`: `NAME=VALUE`, or `NAME` to pass on headcount's own variable. The last value for a name
/// applies.
pub(crate) fn passed(given: &[String]) -> anyhow::Result<Env> {
    passed_from(given, |name| std::env::var_os(name))
}

fn passed_from(given: &[String], own: impl Fn(&str) -> Option<OsString>) -> anyhow::Result<Env> {
    let mut variables = Vec::with_capacity(given.len());
    for text in given {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text.as_str(), own_value(text, &own)?),
        };
        // The message does not quote the text, which may contain a secret.
        if name.is_empty() {
            bail!("--env: the name before `=` is missing; write --env NAME=VALUE, or --env NAME");
        }
        variables.push((name.to_owned(), value));
    }
    Ok(Env::new(variables))
}

/// Names the variables that the scenario has not read. Their names may be misspelt.
pub(crate) fn say_unread(env: &Env) {
    let unread: Vec<&str> = env.unread().collect();
    if !unread.is_empty() {
        let names = unread.join(", ");
        say(&format!(
            "note: the scenario did not read {names} (--env): check the spelling in `env(…)`"
        ));
    }
}

/// Returns the value of a variable of headcount's own environment. `None` if it is not set.
fn own_value(name: &str, own: impl Fn(&str) -> Option<OsString>) -> anyhow::Result<Option<String>> {
    match own(name).map(OsString::into_string).transpose() {
        Ok(value) => Ok(value),
        Err(_) => bail!("--env {name}: the value in the environment is not UTF-8"),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;

    fn of(given: &[&str]) -> anyhow::Result<Env> {
        let given: Vec<String> = given.iter().map(|&text| text.to_owned()).collect();
        passed_from(&given, |name| match name {
            "TOKEN" => Some("from outside".into()),
            "BYTES" => Some(OsString::from_vec(vec![0xff])),
            _ => None,
        })
    }

    #[test]
    fn only_passed_variables_are_passed() {
        let env = of(&["TOKEN", "REGION=eu=1", "EMPTY=", "MISSING"]).unwrap();
        let names: Vec<_> = env.names().collect();
        assert_eq!(names, ["EMPTY", "MISSING", "REGION", "TOKEN"]);
        let hidden = env.hidden();
        assert_eq!(hidden.hide("from outside, eu=1"), "***, ***");
        assert_eq!(of(&[]).unwrap().names().count(), 0);
    }

    #[test]
    fn the_last_value_of_a_name_applies() {
        let env = of(&["TOKEN=first", "TOKEN", "A=1234", "A=5678"]).unwrap();
        let hidden = env.hidden();
        let text = "first, from outside, 1234, 5678";
        assert_eq!(hidden.hide(text), "first, ***, 1234, ***");
    }

    #[test]
    fn errors_do_not_repeat_the_value() {
        for given in ["=sesame", "="] {
            let error = of(&[given]).unwrap_err().to_string();
            assert!(error.contains("--env NAME=VALUE"), "{error}");
            assert!(!error.contains("sesame"), "{error}");
        }
        assert!(of(&[""]).is_err());
        let error = of(&["BYTES"]).unwrap_err().to_string();
        assert!(
            error.contains("--env BYTES") && error.contains("UTF-8"),
            "{error}"
        );
    }
}
