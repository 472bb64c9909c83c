use model::Nanos;
use probe::{CoreTime, Sample, Sampler, use_between};

use super::sampling::is_due;
use crate::level::Span;

/// Samples of the generator's own process, and of the machine's cores, in the measured time.
#[derive(Debug)]
pub(crate) struct OwnWatch {
    sampler: Option<Sampler>,
    first: Option<Sample>,
    last: Option<Sample>,
    cores_first: Option<CoreTime>,
    cores_last: Option<CoreTime>,
}

impl OwnWatch {
    pub(crate) fn new() -> Self {
        let pid = i32::try_from(std::process::id()).ok();
        Self {
            sampler: pid.and_then(|pid| Sampler::new(pid).ok()),
            first: None,
            last: None,
            cores_first: None,
            cores_last: None,
        }
    }

    pub(crate) fn watch(&mut self, now: Nanos, hold: Span) {
        let last = self.last.as_ref().or(self.first.as_ref());
        if !is_due(last.map(|sample| sample.at), now, hold) {
            return;
        }
        self.cores_last = CoreTime::look();
        self.cores_first = self.cores_first.or(self.cores_last);
        let Some(sampler) = &mut self.sampler else {
            return;
        };
        let Ok(mut sample) = sampler.sample(now) else {
            return;
        };
        // A target that headcount started is its child process, but not part of the generator.
        sample
            .processes
            .retain(|process| process.pid == sampler.pid());
        let place = if self.first.is_none() {
            &mut self.first
        } else {
            &mut self.last
        };
        *place = Some(sample);
    }

    /// CPU use of all threads, in the measured time.
    pub(super) fn cpu_percent(&self) -> Option<f64> {
        let used = use_between(self.first.as_ref()?, self.last.as_ref()?)?;
        Some(used.cpu_percent)
    }

    /// Share of the cores' time that the host of this virtual machine took in the measured time.
    pub(crate) fn stolen_percent(&self) -> Option<f64> {
        self.cores_last?.stolen_percent_since(self.cores_first?)
    }
}
