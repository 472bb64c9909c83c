//! Converts TypeScript to JavaScript by replacing types with blanks. Every line and column keeps its position.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use swc_common::errors::{DiagnosticBuilder, Emitter, Handler};
use swc_common::sync::Lrc;
use swc_common::{GLOBALS, Globals, SourceMap};
use swc_ts_fast_strip::{ErrorCode, Options, operate};

use crate::error::Problem;
use crate::frame::Location;

/// Message for TypeScript that is not erasable, because it needs generated code.
const NOT_ERASABLE: &str = "TypeScript that needs code generation (enum, namespace, parameter \
    properties) is not supported; use a const object";

/// The first error of the parser.
#[derive(Clone, Default)]
struct FirstComplaint(Arc<Mutex<Option<Complaint>>>);

struct Complaint {
    message: String,
    at: Option<swc_common::BytePos>,
}

impl Emitter for FirstComplaint {
    fn emit(&mut self, diagnostic: &mut DiagnosticBuilder<'_>) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| Complaint {
            message: diagnostic.message(),
            at: diagnostic.span.primary_span().map(|span| span.lo),
        });
    }
}

/// Time limit of the parser. The parser backtracks: each nested `<any>x as y = ` doubles its time. Real files take less
/// than a tenth of the limit.
const PATIENCE: Duration = Duration::from_secs(10);

/// Stack size of the parser's thread, equal to that of a main thread.
const STACK_BYTES: usize = 8 << 20;

/// Returns the JavaScript of a TypeScript module, with the same lines and columns.
pub(crate) fn strip_types(name: &str, source: &str) -> Result<String, Problem> {
    let (tell, told) = mpsc::channel();
    let (file, text) = (name.to_owned(), source.to_owned());
    let parse = move || {
        let _ = tell.send(parse_and_strip(&file, &text)); // fails if the time limit has passed
    };
    let builder = thread::Builder::new().name("parser".to_owned());
    let started = builder.stack_size(STACK_BYTES).spawn(parse);
    let why = match started.map(|_| told.recv_timeout(PATIENCE)) {
        Ok(Ok(stripped)) => return stripped,
        Ok(Err(_)) => format!(
            "the TypeScript parser did not finish within {} s; simplify deeply nested expressions",
            PATIENCE.as_secs()
        ),
        Err(why) => format!("cannot start a thread for the TypeScript parser: {why}"),
    };
    let location = Location {
        file: name.to_owned(),
        line: 1,
        column: 1,
    };
    Err(Problem::new(why, location, source))
}

fn parse_and_strip(name: &str, source: &str) -> Result<String, Problem> {
    let map: Lrc<SourceMap> = Lrc::default();
    let complaint = FirstComplaint::default();
    let handler = Handler::with_emitter(true, false, Box::new(complaint.clone()));
    let options = Options {
        module: Some(true),
        filename: Some(name.to_owned()),
        ..Options::default()
    };
    let stripped = catch_unwind(AssertUnwindSafe(|| {
        GLOBALS.set(&Globals::default(), || {
            operate(&map, &handler, source.to_owned(), options)
        })
    }));
    let code = match stripped {
        Ok(Ok(output)) => return Ok(output.code),
        Ok(Err(error)) => Some(error.code),
        Err(_) => None,
    };
    let first = complaint
        .0
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    let (detail, at) = first.map_or_else(
        || {
            (
                "the TypeScript parser gave up on this file".to_owned(),
                None,
            )
        },
        |complaint| (complaint.message, complaint.at),
    );
    let message = match code {
        Some(ErrorCode::UnsupportedSyntax) => NOT_ERASABLE.to_owned(),
        _ => format!("syntax error: {detail}"),
    };
    let (line, column) = at
        .and_then(|at| map.try_lookup_char_pos(at).ok())
        .map_or((1, 1), |loc| {
            (saturated(loc.line), saturated(loc.col.0 + 1))
        });
    let location = Location {
        file: name.to_owned(),
        line,
        column,
    };
    Err(Problem::new(message, location, source))
}

fn saturated(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_the_parser_does_not_come_to_an_end_with_is_refused() {
        let nested = format!("const x = {}1;", "<any>g as u = ".repeat(60));
        let refused = strip_types("nested.ts", &nested);
        let why = refused.expect_err("no parser tries all of it").to_string();
        assert!(why.contains("nested.ts"), "{why}");
    }
}
