mod reading;

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use audit::{Audit, Severity, Text};
use reading::Reading;

use crate::args::{AuditArgs, AuditFormat};
use crate::exit::Exit;
use crate::screen::{colour, print};

/// `headcount audit`
pub(crate) fn audit(args: &AuditArgs) -> anyhow::Result<Exit> {
    if args.new {
        print(audit::NEW_FORM)?;
        return Ok(Exit::Passed);
    }
    if let Some(path) = given_twice(&args.files) {
        bail!("{} is given more than once", path.display());
    }
    let files: Vec<(String, Text)> = args
        .files
        .iter()
        .map(|path| open(path))
        .collect::<anyhow::Result<_>>()?;
    let audits: Vec<Audit> = audit::read_files(files)?.iter().map(audit::audit).collect();
    print(&render(&audits, args.format))?;
    let worst = audits.iter().filter_map(Audit::worst).max();
    Ok(if worst >= Some(Severity::Unsupported) {
        Exit::Failed
    } else {
        Exit::Passed
    })
}

fn given_twice(paths: &[PathBuf]) -> Option<&Path> {
    let mut seen = HashSet::new();
    let twice = paths.iter().find(|path| !seen.insert(path.as_path()));
    twice.map(PathBuf::as_path)
}

/// Opens one result. `-` means standard input, and a folder means the `run.json` in it.
fn open(path: &Path) -> anyhow::Result<(String, Text)> {
    if path.as_os_str() == "-" {
        let name = "standard input".to_owned();
        let input = Reading::new(io::stdin(), &name, None);
        let text = text(BufReader::new(input)).with_context(|| format!("cannot read {name}"))?;
        return Ok((name, text));
    }
    let path = if path.is_dir() {
        path.join("run.json")
    } else {
        path.to_owned()
    };
    let name = path.display().to_string();
    let opened = || -> anyhow::Result<Text> {
        let file = File::open(&path)?;
        let about = file.metadata()?;
        let size = about.is_file().then_some(about.len());
        text(BufReader::new(Reading::new(file, &name, size)))
    };
    let text = opened().with_context(|| format!("cannot read {name}"))?;
    Ok((name, text))
}

/// Maximum length of the first line of any format, in bytes. Even a wide CSV header is shorter.
const FIRST: u64 = 1 << 16;
/// Maximum size of a summary, a result without individual samples, in bytes.
const SUMMARY: u64 = 1 << 28;

fn text(mut file: impl BufRead + 'static) -> anyhow::Result<Text> {
    let mut first = Vec::new();
    file.by_ref().take(FIRST).read_until(b'\n', &mut first)?;
    if first.starts_with(&[0x1f, 0x8b]) {
        bail!("it is compressed; run `gunzip -c FILE | headcount audit -`");
    }
    if audit::by_lines(&String::from_utf8_lossy(&first)) {
        return Ok(Text::Lines(Box::new(Cursor::new(first).chain(file))));
    }
    let mut bytes = first;
    file.take(SUMMARY).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > SUMMARY {
        bail!("it is larger than 256 MiB and not in a format that is read line by line");
    }
    decode(bytes).map(Text::Whole)
}

/// Decodes UTF-8 or UTF-16 with a byte order mark. Windows shells write UTF-16 when they redirect output to a file.
fn decode(bytes: Vec<u8>) -> anyhow::Result<String> {
    let read: fn([u8; 2]) -> u16 = match bytes.get(..2) {
        Some([0xff, 0xfe]) => u16::from_le_bytes,
        Some([0xfe, 0xff]) => u16::from_be_bytes,
        _ => return String::from_utf8(bytes).context("it is not valid UTF-8"),
    };
    let pairs = bytes[2..].chunks_exact(2);
    if !pairs.remainder().is_empty() {
        bail!("it is UTF-16 text that ends in the middle of a character");
    }
    let units: Vec<u16> = pairs.map(|pair| read([pair[0], pair[1]])).collect();
    String::from_utf16(&units).context("it is not valid UTF-16")
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

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(bytes: &'static [u8]) -> anyhow::Result<String> {
        match text(bytes)? {
            Text::Whole(text) => Ok(text),
            Text::Lines(_) => panic!("read line by line"),
        }
    }

    #[test]
    fn text_of_windows_shells_is_read() {
        assert_eq!(whole(b"\xff\xfea\0\xb5\0").unwrap(), "a\u{b5}");
        assert_eq!(whole(b"\xfe\xff\0a").unwrap(), "a");
        assert_eq!(whole(b"plain").unwrap(), "plain");
        let why = whole(b"\xff\xfea").unwrap_err().to_string();
        assert!(why.contains("UTF-16"), "{why}");
        let why = whole(b"\x1f\x8b\x08").unwrap_err().to_string();
        assert!(why.contains("gunzip"), "{why}");
        assert!(whole(b"\x80").is_err());
    }

    #[test]
    fn samples_are_read_line_by_line_with_their_first() {
        let Text::Lines(mut lines) = text(&b"timeStamp,elapsed,label\n1,2,a\n"[..]).unwrap() else {
            panic!("read as a whole");
        };
        assert_eq!(lines.fill_buf().unwrap(), b"timeStamp,elapsed,label\n");
    }
}
