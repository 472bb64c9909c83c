use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::backend::Backend;
use crate::registry::Registry;
use crate::time::Time;

/// Longest pause between two looks for registrations whose time has passed, so that a new registration with a short time
/// to live ends in time too.
const LOOK: Duration = Duration::from_millis(200);
/// Interval at which messages are forgotten whose retention has ended.
const TIDY: Duration = Duration::from_secs(30);
/// Interval at which the shared backend is checked.
const CHECK: Duration = Duration::from_secs(1);

/// Ends registrations whose time has passed, forever.
pub(crate) async fn expire(registry: Arc<Registry>) {
    loop {
        let now = Time::now();
        for tenant in registry.tenants.values() {
            let ended = match &*registry.backend {
                Backend::Embedded(embedded) => match embedded.expire(tenant, now) {
                    Ok(ended) => ended,
                    Err(refusal) => {
                        tracing::warn!(%refusal, "ended registrations cannot be removed from the database");
                        0
                    }
                },
                // Redis ends the registrations itself, so only the view follows.
                Backend::Shared(_) => tenant.expire(now).len(),
            };
            registry.counters.expired.inc_by(ended as u64);
        }
        sleep(pause(&registry, now)).await;
    }
}

fn pause(registry: &Registry, now: Time) -> Duration {
    let tenants = registry.tenants.values();
    let ends = tenants.filter_map(|tenant| tenant.view.read().first_end());
    let next = ends.min().map_or(LOOK, |end| end.until(now));
    next.clamp(Duration::from_millis(1), LOOK)
}

/// Forgets ended registrations and old messages, and sends kept messages again, forever.
pub(crate) async fn tidy(registry: Arc<Registry>) {
    let period = match &*registry.backend {
        Backend::Embedded(_) => TIDY,
        Backend::Shared(_) => registry.delivery.ack_timeout,
    };
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        for tenant in registry.tenants.values() {
            tenant.view.edit().forget_ended(Time::now());
        }
        match &*registry.backend {
            Backend::Embedded(embedded) => {
                if let Err(refusal) = embedded.forget(Time::now()) {
                    tracing::warn!(%refusal, "old messages cannot be removed from the database");
                }
            }
            Backend::Shared(shared) => {
                for tenant in registry.tenants.values() {
                    match shared.send_again(tenant).await {
                        Ok(sent) => {
                            registry.counters.redelivered.inc_by(sent);
                        }
                        Err(refusal) => {
                            tracing::warn!(%refusal, "kept messages cannot be sent again yet");
                        }
                    }
                }
            }
        }
    }
}

/// Asks the shared backend for its health, forever, so that `/healthz` never waits.
pub(crate) async fn check(registry: Arc<Registry>) {
    let Backend::Shared(shared) = &*registry.backend else {
        return;
    };
    let Some(space) = registry.tenants.keys().next().cloned() else {
        return;
    };
    let mut ticks = interval(CHECK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let (nats, redis) = shared.health(&space).await;
        registry.note_health(nats, redis);
    }
}
