use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use engine::Second;

/// A file that gets one line of JSON for each second of the run: the fields of `series` in `run.json`, with the number of
/// the level.
#[derive(Debug)]
pub(super) struct JsonLines {
    file: File,
    path: PathBuf,
    /// Whether this run created the file.
    is_new: bool,
    begun: bool,
}

impl JsonLines {
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let is_new = !path.exists();
        Ok(Self {
            file: OpenOptions::new().create(true).append(true).open(path)?,
            is_new,
            path: path.to_owned(),
            begun: false,
        })
    }

    /// Writes the line at once, so that a reader who follows the file sees it. The first line replaces what was in the file.
    pub(super) fn write(&mut self, second: &Second) -> anyhow::Result<()> {
        let line = line_of(second)?;
        self.write_text(&line)
            .with_context(|| format!("cannot write {}", self.path.display()))
    }

    fn write_text(&mut self, line: &str) -> io::Result<()> {
        // A pipe cannot be emptied.
        if !self.begun && self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        self.begun = true;
        self.file.write_all(line.as_bytes())
    }
}

/// A run without a second leaves everything as it was.
impl Drop for JsonLines {
    fn drop(&mut self) {
        if self.is_new && !self.begun {
            let _ = fs::remove_file(&self.path); // an empty file does no harm
        }
    }
}

fn line_of(second: &Second) -> anyhow::Result<String> {
    let mut line = serde_json::to_value(second.window)?;
    line["level"] = second.level.into();
    line["busiest_worker_percent"] = second.busiest_worker_percent.into();
    Ok(format!("{line}\n"))
}

#[cfg(test)]
mod tests {
    use record::Window;

    use super::*;

    #[test]
    fn a_line_has_the_figures_of_the_second_and_its_level() {
        let second = Second {
            level: 2,
            window: Window {
                start_s: 3.0,
                requests: 40,
                p95_ms: Some(1.5),
                ..Window::default()
            },
            busiest_worker_percent: None,
            target_cpu_percent: None,
        };
        let line = line_of(&second).unwrap();
        assert_eq!(line.lines().count(), 1);
        let read: serde_json::Value = serde_json::from_str(&line).unwrap();
        let fields = ["level", "start_s", "requests", "p95_ms", "p99_ms"].map(|field| &read[field]);
        let wanted = serde_json::json!([2, 3.0, 40, 1.5, null]);
        assert_eq!(serde_json::json!(fields), wanted);
    }
}
