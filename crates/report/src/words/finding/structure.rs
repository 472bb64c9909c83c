//! Words for causes in the structure of the target, of the load, or of the generator, and for their evidence.

use format::{
    about, count, megabytes, millis, number, percent, plural, rate, seconds, share, span, whole,
};
use record::{
    Cause, DiskWaits, Drifting, Evidence, GeneratorLimited, GrowingSessions, SingleWriter,
    SlowConsumers,
};

use super::full_after;
use crate::words::issue;

/// Formats one of these causes as a sentence.
pub(super) fn sentence(cause: &Cause) -> String {
    match cause {
        Cause::Generator(limited) => generator(*limited),
        Cause::PortsExhausted { ports } => format!(
            "the generator's machine has used up its {} local ports for connections to the target",
            count(*ports)
        ),
        Cause::SlowSetup(setup) => format!(
            "{} is the bottleneck, not the rest of the iteration: it takes {}, which is {} of the time",
            setup.name,
            millis(setup.ms),
            percent(setup.share_percent)
        ),
        Cause::ConnectionCost(cost) => format!(
            "opening connections is the bottleneck: it takes {}, which is {} of the time",
            millis(cost.ms),
            percent(cost.share_percent)
        ),
        Cause::LinearFanOut(fan_out) => format!(
            "fan-out dominates: each message takes {} of CPU time for {} receivers",
            millis(fan_out.message_us / 1e3),
            about(fan_out.receivers)
        ),
        Cause::QuadraticFanOut(fan_out) => format!(
            "the cost of a message grows with the square of its receivers: {} of CPU time for {}",
            millis(fan_out.message_us / 1e3),
            about(fan_out.receivers)
        ),
        Cause::LockConvoy(convoy) => format!(
            "{} threads of the target take turns, so that together they use one core",
            convoy.threads
        ),
        Cause::SingleWriter(writer) => single_writer(*writer),
        Cause::UpstreamPool(pool) => format!(
            "requests wait for one of the target's {} to {}: about {}",
            plural(pool.connections, "connection"),
            pool.address,
            rate(pool.per_s)
        ),
        Cause::SlowConsumers(slow) => slow_consumers(slow),
        Cause::ResidualSessions(sessions) => {
            residual_sessions(sessions.left, sessions.per_iteration)
        }
        Cause::SynchronisedRetries(retries) => format!(
            "refused operations are tried again at the same time: {} of all operations arrive in waves every {}",
            percent(retries.share_percent),
            tenths(retries.every_s)
        ),
        Cause::DelayedAcknowledgement(late) => format!(
            "{} of the responses to {} are {} late, by a delayed acknowledgement",
            percent(late.share_percent),
            late.name,
            millis(late.delay_ms)
        ),
        Cause::UniquenessCollisions(collisions) => format!(
            "concurrent creations collide: the target refuses {} of {} with status 409",
            percent(collisions.share_percent),
            collisions.name
        ),
        Cause::GrowingLatency(growing) => format!(
            "the target becomes slower under a constant load: the median of {} is twice as long in {}",
            millis(growing.ms),
            span(growing.doubled_after_s.round())
        ),
        Cause::GrowingSessions(growing) => growing_sessions(growing),
        _ => String::new(),
    }
}

fn single_writer(writer: SingleWriter) -> String {
    format!(
        "the target writes one change at a time: it waits for the disk {} of the time, and uses {} of one core",
        percent(writer.disk_percent),
        percent(writer.cpu_percent)
    )
}

fn growing_sessions(growing: &GrowingSessions) -> String {
    format!(
        "the number of the target's connections grows under a constant load, by {} per minute{}",
        number(growing.per_s * 60.0),
        full_after(growing.full_after_s)
    )
}

fn slow_consumers(slow: &SlowConsumers) -> String {
    format!(
        "{} of {}, which read too slowly, delay the others: the median time is {}",
        count(slow.slow),
        plural(slow.of, "connection"),
        millis(slow.ms)
    )
}

fn generator(limited: GeneratorLimited) -> String {
    let known = match limited {
        GeneratorLimited { per_s: 0.0, .. } => String::new(),
        GeneratorLimited {
            per_s,
            deliveries: true,
        } => format!(": the target makes at least {} deliveries/s", number(per_s)),
        GeneratorLimited { per_s, .. } => format!(": the target does at least {}", rate(per_s)),
    };
    format!("the generator is the limit, not the target{known}")
}

fn residual_sessions(left: f64, per_iteration: Option<f64>) -> String {
    let each = per_iteration.map_or(String::new(), |each| {
        format!(" ({} per iteration)", number(each))
    });
    format!(
        "earlier levels have left {} sessions in the target{each}",
        whole(left)
    )
}

fn tenths(value: f64) -> String {
    seconds((value * 10.0).round() / 10.0)
}

/// Formats the evidence of one of these causes.
pub(super) fn evidence(seen: &Evidence) -> String {
    match seen {
        Evidence::GeneratorIssue { issue } => issue::sentence(issue),
        Evidence::PortsUsed {
            connections,
            ports,
            failed,
        } => format!(
            "{} connections were open or closed less than a minute ago, of {} ports; {} failed",
            whole(*connections),
            count(*ports),
            count(*failed)
        ),
        Evidence::SlowerAt { name, ms, than_ms } => format!(
            "{} took {} at the highest load, and {} at the lowest",
            name.as_deref().unwrap_or("opening a connection"),
            millis(*ms),
            millis(*than_ms)
        ),
        Evidence::OthersAt { ms, than_ms } => format!(
            "all other operations took {} and {}",
            millis(*ms),
            millis(*than_ms)
        ),
        Evidence::DoneOften {
            count: often,
            others,
            iterations,
        } => format!(
            "it happened {} times in {}, and all other operations {} times",
            count(*often),
            plural(*iterations, "iteration"),
            count(*others)
        ),
        Evidence::Conflicts {
            count: refused,
            of,
            than_percent,
            than_per_s,
        } => format!(
            "{} requests were refused with status 409; at {}, {}",
            share(*refused, *of),
            rate(*than_per_s),
            percent(*than_percent)
        ),
        Evidence::UpstreamConnections {
            count: open,
            address,
        } => format!(
            "the target had {} to {address} in all samples",
            plural(*open, "connection")
        ),
        Evidence::DiskWaits(waits) => disk_waits(*waits),
        Evidence::MessageCpu { .. } | Evidence::ThreadsTakeTurns { .. } => of_cpu(seen),
        Evidence::LeftoversGrew { .. }
        | Evidence::WavesEvery { .. }
        | Evidence::WavesFailed { .. }
        | Evidence::LateByAcknowledgement { .. }
        | Evidence::Drift { .. } => over_time(seen),
        _ => String::new(),
    }
}

fn of_cpu(seen: &Evidence) -> String {
    match seen {
        Evidence::MessageCpu {
            receivers,
            us,
            than_receivers,
            than_us,
        } => format!(
            "a message takes {} of CPU time for {} receivers, and {} for {}",
            millis(us / 1e3),
            about(*receivers),
            millis(than_us / 1e3),
            about(*than_receivers)
        ),
        Evidence::ThreadsTakeTurns {
            threads,
            percent: used,
            busiest_percent,
            than_percent,
        } => format!(
            "{} together used {} of one core, the busiest {}; at the other load, {}",
            plural(*threads, "thread"),
            percent(*used),
            percent(*busiest_percent),
            percent(*than_percent)
        ),
        _ => String::new(),
    }
}

fn disk_waits(waits: DiskWaits) -> String {
    let written = waits.transferred.map_or(String::new(), |bytes| {
        format!("; the target wrote {}", megabytes(bytes.written_mb))
    });
    format!(
        "a thread ran or waited for the disk in {} of {}; one waited in {}, and in {} of them no other ran{written}",
        percent(waits.busy_percent),
        plural(waits.samples, "sample"),
        percent(waits.waiting_percent),
        percent(waits.alone_percent / waits.waiting_percent.max(1e-9) * 100.0)
    )
}

fn over_time(seen: &Evidence) -> String {
    match seen {
        Evidence::WavesEvery {
            waves,
            seconds,
            deviation_s,
        } => format!(
            "{} of operations followed each other every {} s, with a deviation of at most {} s",
            plural(*waves, "wave"),
            number(*seconds),
            number(*deviation_s)
        ),
        Evidence::WavesFailed {
            percent: failed,
            per_s,
            between_per_s,
        } => format!(
            "{} of the operations in the waves failed; a wave had up to {}, and the time in between {}",
            percent(*failed),
            rate(*per_s),
            rate(*between_per_s)
        ),
        Evidence::LateByAcknowledgement {
            count: late,
            of,
            usual_ms,
            late_ms,
        } => format!(
            "{} responses took about {}, others about {}, and hardly any a time in between",
            share(*late, *of),
            millis(*late_ms),
            millis(*usual_ms)
        ),
        Evidence::Drift {
            of,
            per_h,
            low,
            high,
            seconds,
        } => {
            let figure = |value: f64| match of {
                Drifting::Latency => millis(value),
                Drifting::Connections => whole(value),
            };
            let name = match of {
                Drifting::Latency => "the median time",
                Drifting::Connections => "the number of established connections",
            };
            format!(
                "{name} grew steadily over {}, by {} per hour ({} to {})",
                span(seconds.round()),
                figure(*per_h),
                figure(*low),
                figure(*high)
            )
        }
        Evidence::LeftoversGrew {
            before,
            after,
            iterations,
        } => format!(
            "the target reported {} sessions before the first level, and {} after {}",
            whole(*before),
            whole(*after),
            plural(*iterations, "iteration")
        ),
        _ => String::new(),
    }
}
