use std::fs;
use std::path::Path;

use anyhow::Context as _;
use audit::{Audit, Severity};

use crate::args::{AuditArgs, AuditFormat};
use crate::exit::Exit;
use crate::screen::{colour, print};

/// `headcount audit`
pub(crate) fn audit(args: &AuditArgs) -> anyhow::Result<Exit> {
    if args.new {
        print(audit::NEW_FORM)?;
        return Ok(Exit::Passed);
    }
    let files: Vec<(String, String)> = args
        .files
        .iter()
        .map(|path| read(path))
        .collect::<anyhow::Result<_>>()?;
    let audits: Vec<Audit> = audit::read(&files)?.iter().map(audit::audit).collect();
    print(&render(&audits, args.format))?;
    let worst = audits.iter().filter_map(Audit::worst).max();
    Ok(if worst >= Some(Severity::Unsupported) {
        Exit::Failed
    } else {
        Exit::Passed
    })
}

fn read(path: &Path) -> anyhow::Result<(String, String)> {
    let path = if path.is_dir() {
        path.join("run.json")
    } else {
        path.to_owned()
    };
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok((path.display().to_string(), text))
}

fn render(audits: &[Audit], format: AuditFormat) -> String {
    let each = |one: fn(&Audit) -> String| audits.iter().map(one).collect::<Vec<_>>().join("\n");
    match format {
        AuditFormat::Terminal if colour() => each(|audit| audit::terminal(audit, true)),
        AuditFormat::Terminal => each(|audit| audit::terminal(audit, false)),
        AuditFormat::Markdown => each(audit::markdown),
        AuditFormat::Json => {
            let all: Vec<serde_json::Value> = audits.iter().map(audit::json).collect();
            format!("{:#}\n", serde_json::Value::Array(all))
        }
    }
}
