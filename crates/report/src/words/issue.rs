//! Explains why a level is questionable or invalid, and what to do about it.

use format::{count, duration, millis, number, percent, plural, share};
use record::{AgentLoss, DelayStatistic, IssueCause, LateAt, Lateness};

use super::reason;

/// CPU wait below which no figure is affected, in percent of the time.
const CPU_WAIT: f64 = 1.0;

/// Returns one sentence without a full stop: the event, its figures and limit, and the next step.
pub fn sentence(cause: &IssueCause) -> String {
    match cause {
        IssueCause::NotMeasured => "the level ended before its measurement began".to_owned(),
        IssueCause::ShortMeasurement {
            measured_ms,
            needed_ms,
        } => format!(
            "the measurement lasted {}, but headcount needs at least {} to judge the load of the workers",
            millis(*measured_ms),
            millis(*needed_ms)
        ),
        IssueCause::Late(lateness) => late(lateness),
        IssueCause::LostAgent {
            agent,
            loss,
            workers,
        } => lost_agent(agent, *loss, *workers),
        IssueCause::OfAgent { agent, of } => format!("agent `{agent}`: {}", sentence(of)),
        IssueCause::Text { text } => text.trim_end_matches('.').to_owned(),
        IssueCause::WorkerBusy { .. }
        | IssueCause::CpuQuota { .. }
        | IssueCause::StolenTime { .. }
        | IssueCause::UsersSlowed { .. }
        | IssueCause::GarbageCollection { .. }
        | IssueCause::EventsDropped { .. }
        | IssueCause::SmallMessages { .. } => of_generator(cause),
        IssueCause::StartsMissed { .. }
        | IssueCause::StartsDropped { .. }
        | IssueCause::OwnFailures { .. }
        | IssueCause::NotAllSent { .. }
        | IssueCause::AudienceIncomplete { .. }
        | IssueCause::WorkerLost { .. }
        | IssueCause::LittlesLaw { .. } => of_counts(cause),
    }
}

/// Describes issues in which the generator lacked time.
fn of_generator(cause: &IssueCause) -> String {
    match cause {
        IssueCause::WorkerBusy {
            busy_percent,
            cpu_wait_percent,
            limit_percent,
        } => {
            let waited = wait(*cpu_wait_percent);
            let waited = waited.map_or(String::new(), |waited| {
                format!(", including {waited} without a CPU")
            });
            format!(
                "the busiest worker was busy for {} of the time{waited} (limit {}): use more workers, cores or \
                 machines, or reduce the load",
                percent(*busy_percent),
                limit_of(*limit_percent)
            )
        }
        IssueCause::CpuQuota {
            stopped_ms,
            stopped_percent,
            limit_percent,
        } => format!(
            "the CPU quota of its cgroup stopped the generator for {} ({} of the time, limit {}): raise the quota or \
             reduce the load",
            millis(*stopped_ms),
            percent(*stopped_percent),
            limit_of(*limit_percent)
        ),
        IssueCause::StolenTime {
            stolen_percent,
            limit_percent,
        } => format!(
            "the host of this virtual machine took {} of its CPU time (limit {}), so the generator, and the target if \
             it runs here, were slower: repeat the run at a quieter time, or on reserved cores",
            percent(*stolen_percent),
            limit_of(*limit_percent)
        ),
        IssueCause::UsersSlowed {
            slowed_percent,
            limit_percent,
            cpu_wait_percent,
        } => format!(
            "users waited for the generator for {} of their time (limit {}), so the target had less load: use more \
             workers or cores, or fewer users{}",
            percent(*slowed_percent),
            limit_of(*limit_percent),
            without_cpu(*cpu_wait_percent)
        ),
        IssueCause::GarbageCollection { pause_ms } => format!(
            "garbage collection stopped the script for {}, and nothing was read meanwhile: keep less data in memory",
            millis(*pause_ms)
        ),
        IssueCause::EventsDropped { dropped } => format!(
            "the script was too slow for {} (messages or ticks), which were dropped: do less work per message",
            plural(*dropped, "event")
        ),
        IssueCause::SmallMessages {
            spent_percent,
            connection,
        } => format!(
            "the target sent small messages or frames without pause, and a worker spent {} of the time on them. The \
             first connection with such a stream was to {connection}; other connections were served in between",
            percent(*spent_percent)
        ),
        _ => String::new(),
    }
}

/// Describes issues in which operations are missing or counts do not fit.
fn of_counts(cause: &IssueCause) -> String {
    match cause {
        IssueCause::StartsMissed {
            missed,
            planned,
            limit_percent,
        } => format!(
            "the generator missed {} planned starts (limit {}): use more workers or cores, or reduce the rate",
            share(*missed, *planned),
            limit_of(*limit_percent)
        ),
        IssueCause::OwnFailures { failed, operations } => format!(
            "{} operations failed because headcount reached a limit of its own, such as descriptors or local ports",
            share(*failed, *operations)
        ),
        IssueCause::StartsDropped {
            dropped,
            planned,
            users,
        } => {
            let busy = users.and_then(reason::busy_with);
            let busy = busy.map_or(String::new(), |busy| format!(", {busy}"));
            format!(
                "{} planned starts were dropped because all users were busy{busy}; their latencies are missing from \
                 the percentiles. Raise `load.users` (`bench`: -c), or check why iterations take so long",
                share(*dropped, *planned)
            )
        }
        IssueCause::NotAllSent {
            unsent,
            planned,
            limit,
        } => {
            let within = limit.map_or(String::new(), |limit| format!(" (time limit {limit})"));
            format!(
                "{} of {} operations were not sent before the level ended{within}",
                count(*unsent),
                count(*planned)
            )
        }
        IssueCause::AudienceIncomplete { members, listening } => format!(
            "only {} of {} members of the audience could connect, so fewer deliveries were expected. The failures show \
             why",
            count(*listening),
            count(*members)
        ),
        IssueCause::WorkerLost {
            saved_ms_before: Some(before),
        } => format!(
            "a worker did not end; its last figures were saved {} before the end of the level",
            millis(*before)
        ),
        IssueCause::WorkerLost {
            saved_ms_before: None,
        } => "a worker did not end, and its measurements are lost".to_owned(),
        IssueCause::LittlesLaw {
            at_work,
            per_s,
            time_s,
        } => format!(
            "Little's law does not hold: {} groups were at work, but {} iterations/s × {} s = {}. This is a bug in \
             headcount; please report it",
            number(*at_work),
            number(*per_s),
            number(*time_s),
            number(per_s * time_s)
        ),
        _ => String::new(),
    }
}

fn lost_agent(agent: &str, loss: AgentLoss, workers: u64) -> String {
    format!(
        "agent `{agent}` was lost ({}), so {} of the level {} missing",
        loss_of_agent(loss),
        plural(workers, "worker"),
        if workers == 1 { "is" } else { "are" }
    )
}

/// How an agent of a fleet was lost.
pub(crate) fn loss_of_agent(loss: AgentLoss) -> &'static str {
    match loss {
        AgentLoss::Silent => "nothing came from it for 3 s",
        AgentLoss::LeaseLapsed => "its lease lapsed, so it ended its load",
        AgentLoss::MessagesLost => "messages from it are missing",
    }
}

/// Returns only the event and its figure. The notes below a verdict give the limits and the next step.
pub(crate) fn event(cause: &IssueCause) -> String {
    match cause {
        IssueCause::OfAgent { agent, of } => format!("agent `{agent}`: {}", event(of)),
        IssueCause::WorkerBusy { busy_percent, .. } => format!(
            "the busiest worker was busy for {} of the time",
            percent(*busy_percent)
        ),
        IssueCause::CpuQuota { stopped_ms, .. } => format!(
            "the CPU quota of its cgroup stopped the generator for {}",
            millis(*stopped_ms)
        ),
        IssueCause::StolenTime { stolen_percent, .. } => format!(
            "the host of this virtual machine took {} of its CPU time",
            percent(*stolen_percent)
        ),
        IssueCause::UsersSlowed { slowed_percent, .. } => format!(
            "users waited for the generator for {} of their time",
            percent(*slowed_percent)
        ),
        IssueCause::StartsMissed {
            missed, planned, ..
        } => format!(
            "the generator missed {} planned starts",
            share(*missed, *planned)
        ),
        IssueCause::StartsDropped {
            dropped, planned, ..
        } => format!(
            "{} planned starts were dropped because all users were busy",
            share(*dropped, *planned)
        ),
        IssueCause::Late(Lateness { what, late, .. }) => late_event(*what, &duration(*late)),
        _ => sentence(cause),
    }
}

fn late_event(what: LateAt, late: &str) -> String {
    match what {
        LateAt::Start => format!("planned starts were {late} late"),
        LateAt::Read => format!("responses waited {late} in the kernel"),
        LateAt::Receive => format!("receive times may be overstated by {late}"),
    }
}

fn late(lateness: &Lateness) -> String {
    let Lateness {
        what,
        late,
        statistic,
        share_percent,
        limit,
        limit_percent,
        cpu_wait_percent,
    } = lateness;
    let event = late_event(*what, &duration(*late));
    let at = match statistic {
        DelayStatistic::P99 => "p99",
        DelayStatistic::P90 => "p90",
        DelayStatistic::Max => "maximum",
    };
    let share = share_percent.map_or(String::new(), |share| {
        format!(", {} of the {at} latency", percent(share))
    });
    let limit = match limit_percent {
        Some(share) => format!("limits {limit} and {}", limit_of(*share)),
        None => format!("limit {limit}"),
    };
    let figures = format!("({at}{share}; {limit})");
    let cpu = without_cpu(*cpu_wait_percent);
    let effect = match what {
        LateAt::Read => " before headcount read them, so users continued that much too late",
        LateAt::Start | LateAt::Receive => "",
    };
    format!("{event} {figures}{effect}: use more workers or cores, or reduce the load{cpu}")
}

/// Describes the CPU wait if it was long enough to matter.
fn without_cpu(cpu_wait_percent: Option<f64>) -> String {
    wait(cpu_wait_percent).map_or(String::new(), |waited| {
        format!("; a worker was ready but had no CPU for {waited} of the time: reserve cores for headcount")
    })
}

fn wait(cpu_wait_percent: Option<f64>) -> Option<String> {
    cpu_wait_percent
        .filter(|waited| *waited >= CPU_WAIT)
        .map(percent)
}

/// Formats a limit with the digits of the documentation: `95 %`, `0.1 %`.
fn limit_of(percent: f64) -> String {
    format!("{percent} %")
}
