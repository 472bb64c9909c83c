//! Where figures go besides the screen and the folder of a run: files, an endpoint for
//! Prometheus, servers for metrics, and the live page.

mod headers;
mod instance;
mod json_lines;
mod live_page;
mod local_server;
mod metrics;
mod otlp;
mod prometheus;
mod push;
mod remote_write;
mod spec;

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use engine::{Clock, Notice, Outcome, Second, Stop};
use model::without_credentials;
use record::Run;

use self::json_lines::JsonLines;
use self::live_page::LivePage;
pub(crate) use self::live_page::UiAddress;
use self::otlp::Otlp;
use self::prometheus::ScrapeEndpoint;
use self::push::Pusher;
use self::remote_write::RemoteWrite;
pub(crate) use self::spec::Output;
use crate::args::format::Format;
use crate::command::report::text_of;
use crate::exit::Exit;
use crate::hurry;
use crate::screen::{complain, say, without_hidden};

/// The outputs of a run.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    lines: Vec<JsonLines>,
    endpoints: Vec<ScrapeEndpoint>,
    pushers: Vec<Pusher>,
    reports: Vec<(Format, PathBuf)>,
    page: Option<LivePage>,
}

impl Outputs {
    /// Creates the files, and opens the endpoints and the live page. Fails before any load if a file cannot be written
    /// or a port is in use.
    pub(crate) fn open(
        asked: &[Output],
        page: Option<UiAddress>,
        clock: Clock,
    ) -> anyhow::Result<Self> {
        refuse_same_place(asked)?;
        let mut outputs = Self::default();
        for output in asked {
            let opened = outputs.add(output, clock);
            opened.with_context(|| format!("--output {output}"))?;
        }
        if let Some(address) = page {
            let page = LivePage::open(address).context("--ui")?;
            say(&format!("live page  {}", page.url()));
            outputs.page = Some(page);
        }
        Ok(outputs)
    }

    fn add(&mut self, output: &Output, clock: Clock) -> anyhow::Result<()> {
        match output {
            Output::JsonLines(path) => self.lines.push(JsonLines::open(path)?),
            Output::Prometheus(address) => {
                let endpoint = ScrapeEndpoint::open(*address)?;
                say(&format!("metrics  {}", endpoint.url()));
                self.endpoints.push(endpoint);
            }
            Output::Otlp(url) => {
                let protocol = Box::new(Otlp::new(clock.wall_start())?);
                let pusher = Pusher::open(output, clock, Otlp::url(url), protocol)?;
                self.pushers.push(pusher);
            }
            Output::RemoteWrite(url) => {
                let protocol = Box::new(RemoteWrite::new()?);
                let pusher = Pusher::open(output, clock, url.clone(), protocol)?;
                self.pushers.push(pusher);
            }
            Output::Report(format, path) => {
                // A run may take hours, so a path that cannot be written is an error now. A report that is there is
                // replaced only at the end.
                check_writable(path)?;
                self.reports.push((*format, path.clone()));
            }
        }
        Ok(())
    }

    /// Starts to show a run, which the live page ends through `stop`.
    pub(crate) fn begin(&mut self, stop: &Stop) {
        let Some(page) = &mut self.page else { return };
        if let Err(error) = page.begin(stop) {
            complain(&error.context("--ui: the run continues without its page"));
            self.page = None;
        }
    }

    /// Passes on what happens in the run.
    pub(crate) fn notice(&mut self, notice: Notice) {
        match &notice {
            Notice::Second(second) => self.second(second),
            Notice::LevelStarted(level) => {
                for pusher in &mut self.pushers {
                    pusher.start_level(level.started_s);
                }
            }
            _ => {}
        }
        if let Some(page) = &self.page {
            page.notice(notice);
        }
    }

    /// Shows the result of the run before it is saved.
    pub(crate) fn end(&self, outcome: &Outcome) {
        if let Some(page) = &self.page {
            let error = outcome.error.as_ref();
            let error = error.map(|error| without_hidden(&error.to_string()).into_owned());
            page.end(report::LiveEnd::of(&outcome.record, error));
        }
    }

    /// Passes on a second of the running level. If a file can no longer be written, only that output ends; the run
    /// continues.
    fn second(&mut self, second: &Second) {
        self.lines.retain_mut(|lines| match lines.write(second) {
            Ok(()) => true,
            Err(error) => {
                complain(&error.context("the run continues without this output"));
                false
            }
        });
        for endpoint in &self.endpoints {
            endpoint.update(second);
        }
        for pusher in &mut self.pushers {
            pusher.push(second);
        }
    }

    /// Writes the reports of the finished run. Returns the run's exit code or, if a report of a run that passed cannot be
    /// written, that of a failure of the machine. `folder` is the folder of the run.
    pub(crate) fn finish(&mut self, run: &Run, folder: Option<&Path>, exit: Exit) -> Exit {
        hurry::only_outputs_are_left();
        for pusher in &mut self.pushers {
            pusher.end();
        }
        let mut written = true;
        for (format, path) in &self.reports {
            // A table without a row would replace the figures of an earlier run with nothing.
            if run.levels.is_empty() && format.is_table() {
                let path = path.display();
                say(&format!(
                    "{path} is not written, because nothing was measured"
                ));
                continue;
            }
            if let Err(error) = write_report(run, *format, path, folder) {
                complain(&error.context(format!("cannot write {}", path.display())));
                written = false;
            }
        }
        if let Some(page) = &mut self.page {
            let report = folder.map(|folder| folder.join("report.html"));
            let report = report.filter(|report| report.is_file());
            page.close(report.map(|report| report.display().to_string()));
        }
        if !written && exit == Exit::Passed {
            return Exit::Bug;
        }
        exit
    }
}

fn refuse_same_place(asked: &[Output]) -> anyhow::Result<()> {
    for (index, output) in asked.iter().enumerate() {
        let is_same = |other: &&Output| other.real_place() == output.real_place();
        if let Some(other) = asked[..index].iter().find(is_same) {
            anyhow::bail!("--output {output} has the same place as {other}");
        }
    }
    Ok(())
}

/// Fails if the file cannot be written. Leaves everything as it was.
fn check_writable(path: &Path) -> io::Result<()> {
    let is_new = !path.exists();
    OpenOptions::new().create(true).append(true).open(path)?;
    if is_new {
        fs::remove_file(path)
    } else {
        Ok(())
    }
}

fn write_report(
    run: &Run,
    format: Format,
    path: &Path,
    folder: Option<&Path>,
) -> anyhow::Result<()> {
    let text = text_of(run, format, folder)?;
    fs::write(path, without_credentials(&text).as_bytes())?;
    Ok(())
}
