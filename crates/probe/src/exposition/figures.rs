use super::{Exposition, MetricSample};

/// The figures that an endpoint reports about its own process. The names are those of the Prometheus client libraries
/// (<https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics>) and a few that only one runtime
/// uses. If several series have the same name, their values are added up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessFigures {
    /// CPU time since the start of the process, in seconds.
    pub cpu_seconds: Option<f64>,
    /// Resident memory, in bytes.
    pub memory: Option<f64>,
    /// Number of open descriptors.
    pub descriptors: Option<f64>,
    /// Maximum number of open descriptors.
    pub descriptor_limit: Option<f64>,
    /// Number of operating system threads.
    pub threads: Option<f64>,
    /// Start of the process, in seconds since the Unix epoch.
    pub started_at: Option<f64>,
    /// Name and version of the runtime.
    pub runtime: Option<(&'static str, Option<String>)>,
}

/// Series that identify a runtime, with the version in a label.
const RUNTIMES: [(&str, &str); 6] = [
    ("go_info", "Go"),
    ("python_info", "Python"),
    ("nodejs_version_info", "Node.js"),
    ("jvm_info", "JVM"),
    ("jvm_runtime_info", "JVM"),
    ("ruby_info", "Ruby"),
];

impl ProcessFigures {
    /// The figures in one response.
    pub fn of(exposition: &Exposition) -> Self {
        let samples = &exposition.samples;
        let any = |names: &[&str]| names.iter().find_map(|name| sum(samples, name));
        Self {
            cpu_seconds: any(&["process_cpu_seconds_total"]),
            memory: any(&["process_resident_memory_bytes"]),
            descriptors: any(&["process_open_fds", "process_files_open_files"]),
            descriptor_limit: any(&["process_max_fds", "process_files_max_files"]),
            threads: any(&[
                "process_threads",
                "process_num_threads",
                "jvm_threads_live_threads",
                "jvm_threads_current",
                "go_threads",
            ]),
            started_at: any(&["process_start_time_seconds"]),
            runtime: samples.iter().find_map(runtime),
        }
    }
}

fn sum(samples: &[MetricSample], name: &str) -> Option<f64> {
    let values = samples.iter().filter(|sample| sample.name == name);
    let values = values.map(|sample| sample.value);
    values
        .filter(|value| value.is_finite() && *value >= 0.0)
        .reduce(|sum, value| sum + value)
}

fn runtime(sample: &MetricSample) -> Option<(&'static str, Option<String>)> {
    let (_, name) = RUNTIMES.iter().find(|(series, _)| *series == sample.name)?;
    let version = sample.labels.split("version=\"").nth(1);
    let version = version.and_then(|rest| rest.split('"').next());
    let version = version.map(|version| version.trim_start_matches(['g', 'o', 'v']).to_owned());
    Some((name, version.filter(|version| !version.is_empty())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(text: &str) -> ProcessFigures {
        ProcessFigures::of(&Exposition::parse(text))
    }

    #[test]
    fn the_agreed_names_are_read() {
        let found = figures(
            "process_cpu_seconds_total 1.5\nprocess_resident_memory_bytes 2e6\nprocess_open_fds 10\n\
             process_max_fds 1024\nprocess_start_time_seconds 1.7e9\ngo_info{version=\"go1.22.1\"} 1\ngo_threads 7\n",
        );
        assert_eq!((found.cpu_seconds, found.memory), (Some(1.5), Some(2e6)));
        assert_eq!(
            (found.descriptors, found.descriptor_limit),
            (Some(10.0), Some(1024.0))
        );
        assert_eq!((found.threads, found.started_at), (Some(7.0), Some(1.7e9)));
        assert_eq!(found.runtime, Some(("Go", Some("1.22.1".to_owned()))));
    }

    #[test]
    fn versions_of_other_runtimes_are_read() {
        let node = figures("nodejs_version_info{version=\"v20.20.2\",major=\"20\"} 1\n");
        assert_eq!(node.runtime, Some(("Node.js", Some("20.20.2".to_owned()))));
        let python = figures("python_info{implementation=\"CPython\",version=\"3.11.7\"} 1\n");
        assert_eq!(python.runtime, Some(("Python", Some("3.11.7".to_owned()))));
    }

    #[test]
    fn parts_add_up_and_what_is_not_there_is_not_zero() {
        let found = figures(
            "process_cpu_seconds_total{mode=\"user\"} 1\nprocess_cpu_seconds_total{mode=\"system\"} 2\n",
        );
        assert_eq!((found.cpu_seconds, found.memory), (Some(3.0), None));
        assert_eq!(figures("process_open_fds NaN\n").descriptors, None);
    }
}
