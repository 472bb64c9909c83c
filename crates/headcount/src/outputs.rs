//! Where figures go besides the screen and the folder of a run: files, and an endpoint for Prometheus.

mod json_lines;
mod prometheus;
mod spec;

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use engine::Second;
use record::Run;

use self::json_lines::JsonLines;
use self::prometheus::ScrapeEndpoint;
pub(crate) use self::spec::Output;
use crate::args::format::Format;
use crate::command::report::text_of;
use crate::screen::{complain, say};

/// The outputs of a run.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    lines: Vec<JsonLines>,
    endpoints: Vec<ScrapeEndpoint>,
    reports: Vec<(Format, PathBuf)>,
}

impl Outputs {
    /// Creates the files and opens the endpoints that are used during the run. Fails before any load if one of them, or
    /// the folder of a report, does not exist or is not writable.
    pub(crate) fn open(asked: &[Output]) -> anyhow::Result<Self> {
        let mut outputs = Self::default();
        for (index, output) in asked.iter().enumerate() {
            if asked[..index].contains(output) {
                anyhow::bail!("--output {output} is given twice");
            }
            let opened = outputs.add(output);
            opened.with_context(|| format!("--output {output}"))?;
        }
        Ok(outputs)
    }

    fn add(&mut self, output: &Output) -> anyhow::Result<()> {
        match output {
            Output::JsonLines(path) => self.lines.push(JsonLines::create(path)?),
            Output::Prometheus(address) => {
                let endpoint = ScrapeEndpoint::open(*address)?;
                say(&format!("metrics  {}", endpoint.url()));
                self.endpoints.push(endpoint);
            }
            Output::Report(format, path) => {
                // A run may take hours, so a path that cannot be written is an error now.
                fs::write(path, "")?;
                self.reports.push((*format, path.clone()));
            }
        }
        Ok(())
    }

    /// Passes on a second of the running level. A file that can no longer be written ends, not the run.
    pub(crate) fn second(&mut self, second: &Second) {
        self.lines.retain_mut(|lines| match lines.write(second) {
            Ok(()) => true,
            Err(error) => {
                complain(&error.context("--output jsonl ends here"));
                false
            }
        });
        for endpoint in &self.endpoints {
            endpoint.update(second);
        }
    }

    /// Writes the reports of the finished run.
    pub(crate) fn finish(&self, run: &Run) -> anyhow::Result<()> {
        for (format, path) in &self.reports {
            fs::write(path, text_of(run, *format)?)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}
