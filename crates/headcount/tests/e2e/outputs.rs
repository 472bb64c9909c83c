//! Outputs besides the screen and the run's folder: seconds during the run, and reports after it.

use std::fs;
use std::net::{TcpListener, TcpStream};

use ::harness::free_port;
use serde_json::Value;

use crate::harness::{Lab, Server, text_at};
use crate::interrupt::until;

pub(crate) const ASKS: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: [2, 3], duration: "3s" }, settle: "100ms" };
export default async function asks({ users: [user], think }: Group) {
  await user!.get("/healthz");
  await think("20ms");
}
"#;

/// The value of a metric on this port. `None` if nothing listens yet.
fn scraped(port: u16, metric: &str) -> Option<f64> {
    TcpStream::connect(("127.0.0.1", port)).ok()?;
    let text = text_at(&format!("http://127.0.0.1:{port}/metrics"));
    assert!(text.ends_with("# EOF\n"), "{text}");
    let line = text.lines().find_map(|line| line.strip_prefix(metric));
    Some(line.unwrap().trim().parse().unwrap())
}

#[test]
fn seconds_are_written_and_scraped_during_the_run_and_reports_follow() {
    let truth = Server::truth(&[]);
    let port = free_port().unwrap();
    let lab = Lab::new().with("asks.ts", ASKS);
    let metrics = format!("prometheus={port}");
    let outputs = [
        "jsonl=seconds.jsonl",
        &metrics,
        "junit=junit.xml",
        "html=run/page.html",
    ];
    let args: Vec<&str> = outputs.iter().flat_map(|one| ["--output", one]).collect();
    let program = lab.start_run("asks.ts", &truth.url(), &args);
    let read = |name: &str| fs::read_to_string(lab.path(name)).unwrap_or_default();
    until("requests in the metrics", || {
        scraped(port, "headcount_requests_total").is_some_and(|requests| requests > 0.0)
    });
    assert!(read("seconds.jsonl").ends_with("}\n"), "written at once");
    assert_eq!(read("junit.xml"), "", "the run is not over");
    until("the second level", || {
        scraped(port, "headcount_level").is_some_and(|level| level > 1.0)
    });
    assert_eq!(scraped(port, "headcount_users"), Some(3.0));
    let ended = program.end();
    ended.says(&[&format!("metrics  http://127.0.0.1:{port}/metrics")]);

    let written = read("seconds.jsonl");
    let mut seconds = written
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let record = lab.record();
    for level in record["levels"].as_array().unwrap() {
        for window in level["series"].as_array().unwrap() {
            let mut second = seconds.next().unwrap();
            let second = second.as_object_mut().unwrap();
            let number = second.remove("level").unwrap();
            assert_eq!(number, level["index"].as_u64().unwrap() + 1);
            second.remove("busiest_worker_percent").unwrap();
            assert_eq!(window.as_object(), Some(&*second));
        }
    }
    assert_eq!(seconds.next(), None);
    assert!(read("junit.xml").contains("<testsuite"));
    assert!(read("run/page.html").ends_with("</html>\n"));
}

#[test]
fn an_output_that_cannot_be_opened_is_refused_before_any_load() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("asks.ts", ASKS);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = format!("prometheus={}", taken.local_addr().unwrap());
    for (output, said) in [
        ("jsonl=nowhere/seconds.jsonl", "No such file or directory"),
        ("html=nowhere/page.html", "No such file or directory"),
        (&taken, "cannot listen there"),
        ("html=run/missing/page.html", "No such file or directory"),
        (
            "influx=x",
            "known are jsonl, prometheus, remote-write, otlp",
        ),
    ] {
        let ended = lab.run("asks.ts", &truth.url(), &["--output", output]);
        ended.refused(2, &[output, said]);
        assert!(!lab.path("run").exists(), "{output}");
    }
    let same = ["--output", "csv=same", "--output", "junit=./same"];
    lab.run("asks.ts", &truth.url(), &same)
        .refused(2, &["the same place"]);
    assert!(!lab.path("same").exists());
}

/// A target that is not there, or a scenario with a mistake, must not cost the figures of the run before.
#[test]
fn a_run_that_measures_nothing_keeps_the_figures_of_an_earlier_one() {
    let lab = Lab::new()
        .with("asks.ts", ASKS)
        .with("seconds.jsonl", "{}\n");
    let lab = lab.with("old.csv", "level\n1\n");
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let outputs = [
        "jsonl=seconds.jsonl",
        "jsonl=new.jsonl",
        "csv=old.csv",
        "csv-series=new.csv",
        "junit=junit.xml",
    ];
    let options = outputs.map(|output| ["--output", output]);
    let ended = lab.run("asks.ts", &nobody, options.as_flattened());
    assert_eq!(ended.code, Some(4), "{ended:#?}");
    let read = |name: &str| fs::read_to_string(lab.path(name));
    assert_eq!(read("seconds.jsonl").unwrap(), "{}\n");
    assert_eq!(read("old.csv").unwrap(), "level\n1\n");
    assert!(
        ended.stderr.contains("old.csv is not written"),
        "{ended:#?}"
    );
    for name in ["new.jsonl", "new.csv"] {
        assert!(read(name).is_err(), "{name}");
    }
    let junit = read("junit.xml").unwrap();
    assert!(junit.contains("errors=\"1\""), "{junit}");
    assert!(junit.contains("nothing was measured"), "{junit}");
}
