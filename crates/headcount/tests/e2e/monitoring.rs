//! Outputs of a run in monitoring systems that share no code with headcount.

use std::fs;
use std::io::{BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use ::harness::free_port;
use serde_json::Value;

use crate::harness::{Lab, Program, Prometheus, Raw, Server, python, read_request};
use crate::interrupt::until;
use crate::outputs::ASKS;

/// The total of a field over all seconds of the run.
fn total(record: &Value, field: &str) -> u64 {
    let levels = record["levels"].as_array().unwrap().iter();
    let series = levels.flat_map(|level| level["series"].as_array().unwrap());
    series.map(|second| second[field].as_u64().unwrap()).sum()
}

/// The queries of the dashboard for Grafana, as Grafana sends them for all jobs.
fn dashboard_queries() -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../release/grafana/headcount.json");
    let dashboard: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().unwrap());
    let queries = targets.map(|target| target["expr"].as_str().unwrap());
    queries
        .map(|query| {
            query
                .replace("$job", ".*")
                .replace("$__rate_interval", "4s")
        })
        .collect()
}

#[test]
fn prometheus_scrapes_a_run_and_takes_it_by_remote_write_and_the_dashboard_shows_both() {
    let truth = Server::truth(&[]);
    let port = free_port().unwrap();
    let prometheus = Prometheus::scraping(port);
    let lab = Lab::new().with("asks.ts", ASKS);
    let outputs = [
        format!("prometheus={port}"),
        format!("remote-write={}/api/v1/write", prometheus.url()),
    ];
    let args: Vec<&str> = outputs.iter().flat_map(|one| ["--output", one]).collect();
    let ended = lab.run("asks.ts", &truth.url(), &args);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);

    let queries = dashboard_queries();
    assert!(queries.len() > 12, "{queries:?}");
    for query in &queries {
        assert!(!prometheus.query(query).is_empty(), "{query}");
    }
    let record = lab.record();
    let requests = total(&record, "requests");
    let highest = |metric: &str, job: &str| {
        prometheus.highest(&format!("headcount_{metric}{{job=\"{job}\"}}"))
    };
    let written = highest("requests_total", "headcount");
    let all = written.to_string();
    assert_eq!(all, requests.to_string(), "every second was written");
    let scraped = highest("requests_total", "scraped");
    assert!(scraped > 0.0 && scraped <= written, "{scraped} {written}");
    for job in ["scraped", "headcount"] {
        assert_eq!(highest("level", job).to_string(), "2", "{job}");
    }
    let median = highest("latency_median_seconds", "headcount");
    assert!(median > 0.0 && median < 5.0, "in seconds: {median}");
}

#[test]
fn a_receiver_with_the_official_protocol_reads_otlp() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("asks.ts", ASKS);
    let mut command = python();
    let received = lab.path("received.json");
    command
        .arg(Server::folder().join("otlp/receiver.py"))
        .arg(&received);
    let receiver = Server::start(command);
    let output = format!("otlp={}", receiver.url());
    let ended = lab.run("asks.ts", &truth.url(), &["--output", &output]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);

    let received: Value = serde_json::from_str(&fs::read_to_string(received).unwrap()).unwrap();
    let record = lab.record();
    let figures = &received["headcount.requests"];
    let points = figures["points"].as_array().unwrap();
    let seconds = record["levels"].as_array().unwrap().iter();
    let seconds: usize = seconds
        .map(|level| level["series"].as_array().unwrap().len())
        .sum();
    assert_eq!(points.len(), seconds);
    assert_eq!(points.last().unwrap()["value"], total(&record, "requests"));
    assert_eq!(figures["monotonic"], true);
    let times: Vec<u64> = points
        .iter()
        .map(|point| point["at"].as_u64().unwrap())
        .collect();
    assert!(times.is_sorted(), "{times:?}");
    let p95 = received["headcount.latency_p95"]["points"]
        .as_array()
        .unwrap();
    let unknown = p95.iter().filter(|point| point["value"].is_null()).count();
    let known = p95.len() - unknown;
    let of_record = record["levels"].as_array().unwrap().iter();
    let of_record = of_record.flat_map(|level| level["series"].as_array().unwrap());
    let wanted = of_record
        .filter(|second| !second["p95_ms"].is_null())
        .count();
    assert_eq!(
        known, wanted,
        "a second without enough samples has no value"
    );
    assert_eq!(received["service.name"], "headcount");
}

#[test]
fn a_server_that_does_not_respond_or_refuses_does_not_disturb_the_run() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("asks.ts", ASKS);
    let nobody = format!("otlp=http://127.0.0.1:{}", free_port().unwrap());
    // The truth server has no such path.
    let refusing = format!("remote-write={}/api/v1/write", truth.url());
    let args = ["--output", &nobody, "--output", &refusing];
    let ended = lab.run("asks.ts", &truth.url(), &args);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended.says(&[
        &format!("--output {nobody}/: Connection refused (os error 111); the run continues"),
        &format!("--output {nobody}/: Connection refused (os error 111); "),
        "not sent",
        &format!("--output {refusing}: the server responded 404 Not Found"),
    ]);
}

/// The heads and bodies of accepted requests.
type Accepted = Arc<Mutex<Vec<(String, Value)>>>;

/// A receiver of OTLP that responds with the given statuses first, the last one first, and then accepts.
fn receiver(first: &[&'static str]) -> (Raw, Accepted) {
    let accepted = Accepted::default();
    let statuses = Mutex::new(first.to_vec());
    let received = accepted.clone();
    let server = Raw::start(move |stream| {
        let mut writer = stream.try_clone().unwrap();
        let mut reader = BufReader::new(stream);
        while let Some((head, body)) = read_request(&mut reader) {
            let status = statuses.lock().unwrap().pop().unwrap_or("200 OK");
            if status == "200 OK" {
                let body = serde_json::from_slice(&body).unwrap();
                received.lock().unwrap().push((head, body));
            }
            let response = format!("HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\n{{}}");
            if writer.write_all(response.as_bytes()).is_err() {
                return;
            }
        }
    });
    (server, accepted)
}

#[test]
fn seconds_that_a_server_declines_for_a_while_arrive_once_and_in_order() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("asks.ts", ASKS);
    let (server, accepted) = receiver(&["429 Too Many Requests", "503 Service Unavailable"]);
    let output = format!("otlp={}", server.url());
    let mut command = Command::new(env!("CARGO_BIN_EXE_headcount"));
    command
        .current_dir(lab.path(""))
        .env(
            "OTEL_EXPORTER_OTLP_HEADERS",
            "authorization=Basic%20c2VjcmV0",
        )
        .args([
            "run",
            "asks.ts",
            "--target",
            &truth.url(),
            "--out",
            "run",
            "--output",
            &output,
        ]);
    let ended = Program::start(command).end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended.says(&["the server responded 503 Service Unavailable {}; the run continues"]);
    assert!(!ended.stderr.contains("not sent") && !ended.stderr.contains("c2VjcmV0"));

    let accepted = accepted.lock().unwrap();
    let named = |body: &Value| {
        let metrics = body.pointer("/resourceMetrics/0/scopeMetrics/0/metrics");
        let mut metrics = metrics.unwrap().as_array().unwrap().iter();
        let requests = metrics.find(|metric| metric["name"] == "headcount.requests");
        requests.unwrap()["sum"]["dataPoints"]
            .as_array()
            .unwrap()
            .clone()
    };
    let points: Vec<Value> = accepted.iter().flat_map(|(_, body)| named(body)).collect();
    let record = lab.record();
    let seconds = record["levels"].as_array().unwrap().iter();
    let seconds: usize = seconds
        .map(|level| level["series"].as_array().unwrap().len())
        .sum();
    assert_eq!(points.len(), seconds, "each once");
    let of = |point: &Value, key: &str| point[key].as_str().unwrap().parse::<u64>().unwrap();
    assert!(points.is_sorted_by_key(|point| of(point, "timeUnixNano")));
    assert_eq!(
        of(points.last().unwrap(), "asInt"),
        total(&record, "requests")
    );
    for (head, _) in accepted.iter() {
        let head = head.to_lowercase();
        assert!(head.contains("authorization: basic c2vjcmv0"), "{head}");
    }
}

#[test]
fn a_server_that_never_responds_delays_the_end_by_a_few_seconds() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("asks.ts", ASKS);
    let hangs = Raw::start(|mut stream| {
        let _ = stream.read_to_end(&mut Vec::new()); // ends with the client
    });
    let outputs = [
        format!("otlp={}", hangs.url()),
        format!("remote-write={}/api/v1/write", hangs.url()),
    ];
    let args: Vec<&str> = outputs.iter().flat_map(|one| ["--output", one]).collect();
    let ended = lab.run("asks.ts", &truth.url(), &args);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended.says(&["--output otlp=", "not sent", "--output remote-write="]);
}

#[test]
fn the_third_ctrl_c_does_not_wait_for_outputs_and_the_run_is_saved() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("asks.ts", ASKS);
    let hangs = Raw::start(|mut stream| {
        let _ = stream.read_to_end(&mut Vec::new()); // ends with the client
    });
    let output = format!("otlp={}", hangs.url());
    let program = lab.start_run("asks.ts", &truth.url(), &["--output", &output]);
    until("the report", || lab.path("run/report.html").is_file());
    for message in ["stopping: ", "stopping at once"] {
        program.interrupt();
        until(message, || program.heard().contains(message));
    }
    program.interrupt();
    let ended = program.end();
    ended.refused(130, &["the outputs of this run may be incomplete"]);
    assert!(!ended.stderr.contains("not saved"), "{}", ended.stderr);
}
