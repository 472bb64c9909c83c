use std::fs;
use std::io::BufReader;
use std::process::{Child, ChildStderr, Command, Stdio};

use ::harness::free_port;
use serde_json::Value;
use tempfile::TempDir;

use super::asked::text_at;
use super::attempts::{says, start};

/// The distribution's `prometheus`, which also accepts remote writes. Killed by its process id when dropped.
#[derive(Debug)]
pub(crate) struct Prometheus {
    child: Child,
    port: u16,
    /// Kept open, so that the server's further output does not fail.
    _stderr: BufReader<ChildStderr>,
    _folder: TempDir,
}

impl Prometheus {
    /// Starts a server that scrapes this port every second.
    pub(crate) fn scraping(port: u16) -> Self {
        start("prometheus", || Self::attempt(port))
    }

    fn attempt(scraped: u16) -> Option<Self> {
        let port = free_port().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("prometheus.yml");
        let jobs = format!(
            "scrape_configs: [{{ job_name: scraped, scrape_interval: 1s, scrape_timeout: 1s, \
             static_configs: [{{ targets: ['127.0.0.1:{scraped}'] }}] }}]"
        );
        fs::write(&config, jobs).unwrap();
        let mut child = Command::new("prometheus")
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", folder.path().display()))
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .arg("--web.enable-remote-write-receiver")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|why| panic!("{why}: install prometheus, as ./test.sh does"));
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        if !says(&mut stderr, "Server is ready") {
            child.wait().unwrap();
            return None;
        }
        Some(Self {
            child,
            port,
            _stderr: stderr,
            _folder: folder,
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The series that a query returns over the last ten minutes.
    pub(crate) fn query(&self, query: &str) -> Vec<Value> {
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap()
            .as_secs();
        let query: String = url::form_urlencoded::byte_serialize(query.as_bytes()).collect();
        let (from, until) = (now - 600, now + 5);
        let path = format!("/api/v1/query_range?query={query}&start={from}&end={until}&step=1");
        let answer: Value =
            serde_json::from_str(&text_at(&format!("{}{path}", self.url()))).unwrap();
        assert_eq!(answer["status"], "success", "{answer}");
        answer["data"]["result"].as_array().unwrap().clone()
    }

    /// The largest value of the only series that a query returns.
    pub(crate) fn highest(&self, query: &str) -> f64 {
        let series = self.query(query);
        assert_eq!(series.len(), 1, "{query}: {series:?}");
        let values = series[0]["values"].as_array().unwrap().iter();
        let values = values.map(|value| value[1].as_str().unwrap().parse::<f64>().unwrap());
        values.fold(f64::NAN, f64::max)
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended already
        let _ = self.child.wait();
    }
}
