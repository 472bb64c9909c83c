use model::Nanos;
use probe::{
    Cgroup, CgroupLook, Course, NetworkCounters, Runtime, SampleError, Sampler, allowed_cores,
    runtime_of,
};
use record::TargetEnd;

use super::disk::DiskWatch;
use super::port::PortWatch;
use super::upstream::UpstreamWatch;

/// A process that is or was the target's process.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) pid: i32,
    pub(super) name: String,
    pub(super) runtime: Option<Runtime>,
    sampler: Sampler,
    pub(super) cgroup: Option<Cgroup>,
    /// The number of out-of-memory kills in its cgroup at the last check.
    oom_kills: Option<u64>,
    pub(super) ended: bool,
}

/// Figures of the process in one level.
#[derive(Debug, Default)]
pub(super) struct LevelWatch {
    pub(super) started: Nanos,
    pub(super) next_look: Nanos,
    pub(super) course: Course,
    pub(super) disk: DiskWatch,
    pub(super) port: PortWatch,
    pub(super) upstream: UpstreamWatch,
    pub(super) ends: Vec<TargetEnd>,
    network: Option<NetworkCounters>,
    pub(super) network_since: Option<NetworkCounters>,
    /// The counters of the cgroup at the first and at the last check.
    pub(super) cgroup: Option<(CgroupLook, CgroupLook)>,
    pub(super) cgroup_memory: Option<u64>,
    /// Cores on which its threads may run, according to the first and the last sample.
    pub(super) cores: Vec<usize>,
}

impl Found {
    pub(super) fn new(pid: i32, name: String) -> Option<Self> {
        let mut sampler = Sampler::new(pid).ok()?;
        let name = if name.is_empty() {
            let sample = sampler.sample(Nanos::ZERO).ok()?;
            sample.processes.first()?.name.clone()
        } else {
            name
        };
        let cgroup = Cgroup::of(pid);
        let oom_kills = cgroup.as_ref().and_then(|cgroup| cgroup.look().oom_kills);
        Some(Self {
            pid,
            name,
            runtime: runtime_of(pid),
            sampler,
            cgroup,
            oom_kills,
            ended: false,
        })
    }

    fn look_at_cgroup(&self) -> Option<CgroupLook> {
        self.cgroup.as_ref().map(Cgroup::look)
    }

    pub(super) fn pid(&self) -> u32 {
        u32::try_from(self.pid).unwrap_or(0)
    }
}

impl LevelWatch {
    /// No figures yet, of a level that begins at `started`.
    pub(super) fn of_level(started: Nanos) -> Self {
        Self {
            started,
            ..Self::default()
        }
    }

    pub(super) fn look(&mut self, found: &mut Found, now: Nanos, keep: bool) {
        let cgroup = found.look_at_cgroup();
        let oom_kills = cgroup.as_ref().and_then(|look| look.oom_kills);
        match found.sampler.sample(now) {
            Ok(sample) if keep => {
                if self.course.looks().is_empty() {
                    self.cores = allowed_cores(&sample);
                }
                let network = NetworkCounters::of(found.pid).ok();
                let before = *self.network.get_or_insert(network.unwrap_or_default());
                self.network_since = network.map(|now| now.since(before));
                self.note_cgroup(cgroup);
                self.course.add(sample);
            }
            Err(SampleError::Ended(_)) => {
                found.ended = true;
                if self.cgroup.is_some() {
                    self.note_cgroup(cgroup);
                }
                self.ends.push(TargetEnd {
                    at_s: (now - self.started).as_secs_f64(),
                    pid: found.pid(),
                    out_of_memory: oom_kills.zip(found.oom_kills).map(|(now, then)| now > then),
                    ..TargetEnd::default()
                });
            }
            Ok(_) | Err(SampleError::Unreadable { .. }) => {}
        }
        found.oom_kills = oom_kills.or(found.oom_kills);
    }

    /// Adds the cores of threads that started later, which may run on other cores.
    pub(super) fn note_last_cores(&mut self) {
        let last = self.course.last().map(allowed_cores);
        self.cores.extend(last.unwrap_or_default());
        self.cores.sort_unstable();
        self.cores.dedup();
    }

    fn note_cgroup(&mut self, look: Option<CgroupLook>) {
        let Some(look) = look else { return };
        self.cgroup_memory = look.memory.max(self.cgroup_memory);
        match &mut self.cgroup {
            Some((_, last)) => *last = look,
            None => self.cgroup = Some((look.clone(), look)),
        }
    }
}
