//! Searches the text of modules: locations of imports, and errors of the parser.

use rquickjs::{Ctx, Error};

use crate::error::{Problem, ScriptError};
use crate::frame::Location;

/// Converts a JSON file to a JavaScript module.
pub(super) fn json_module(name: &str, source: &str) -> Result<String, ScriptError> {
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(source) {
        let location = Location {
            file: name.to_owned(),
            line: u32::try_from(error.line()).unwrap_or(1),
            column: u32::try_from(error.column()).unwrap_or(1),
        };
        let problem = Problem::new(format!("not JSON: {error}"), location, source);
        return Err(ScriptError::Syntax(Box::new(problem)));
    }
    let quoted = serde_json::Value::String(source.to_owned()).to_string();
    Ok(format!("export default JSON.parse({quoted});"))
}

/// Returns the specifiers of `import("…")` calls. Matches in comments do no harm.
pub(super) fn dynamic_imports(code: &str) -> Vec<&str> {
    let after = |rest: &'_ str, c: char| rest.trim_start().strip_prefix(c).map(str::len);
    let specifier = |(at, word): (usize, &str)| {
        let rest = code.get(at + word.len()..)?;
        let rest = rest.get(rest.len() - after(rest, '(')?..)?.trim_start();
        let quote = rest
            .chars()
            .next()
            .filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
        rest.get(1..)?.split(quote).next()
    };
    code.match_indices("import").filter_map(specifier).collect()
}

/// Returns the location where a module imports another.
pub(super) fn import_location(file: &str, source: &str, specifier: &str) -> Location {
    let quoted = [format!("\"{specifier}\""), format!("'{specifier}'")];
    let found = source.lines().enumerate().find_map(|(line, text)| {
        let at = quoted.iter().find_map(|quoted| text.find(quoted))?;
        Some((line + 1, text.get(..at)?.chars().count() + 1))
    });
    let (line, column) = found.unwrap_or((1, 1));
    Location {
        file: file.to_owned(),
        line: u32::try_from(line).unwrap_or(u32::MAX),
        column: u32::try_from(column).unwrap_or(u32::MAX),
    }
}

/// Converts a compile error of the script engine.
pub(super) fn compile(ctx: &Ctx<'_>, error: &Error, name: &str, source: &str) -> ScriptError {
    if !error.is_exception() {
        return ScriptError::Engine(error.to_string());
    }
    let thrown = ctx.catch();
    let text = |field: &str| {
        thrown
            .as_object()
            .and_then(|thrown| thrown.get::<_, String>(field).ok())
    };
    let message = text("message").unwrap_or_else(|| "it cannot be compiled".to_owned());
    let stack = text("stack").unwrap_or_default();
    let location = stack
        .lines()
        .find_map(Location::of_call)
        .filter(|place| place.file == name);
    let location = location.unwrap_or_else(|| Location {
        file: name.to_owned(),
        line: 1,
        column: 1,
    });
    let problem = Problem::new(format!("syntax error: {message}"), location, source);
    ScriptError::Syntax(Box::new(problem))
}

#[cfg(test)]
mod tests {
    use super::{dynamic_imports, import_location};

    #[test]
    fn dynamic_imports_are_found() {
        let code = "const a = await import( \"./a.ts\"); import ('./b.js').then(f); import x from \"./c.ts\"; import(name)";
        assert_eq!(dynamic_imports(code), ["./a.ts", "./b.js"]);
    }

    #[test]
    fn an_import_is_shown_where_it_stands() {
        let source = "// first\nimport { a } from './x.ts';";
        assert_eq!(
            import_location("m.ts", source, "./x.ts").to_string(),
            "m.ts:2:19"
        );
    }
}
