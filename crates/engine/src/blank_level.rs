use record::{Level, Load};

use crate::level::LevelPlan;

/// A level that has its load, but no measurements.
pub(crate) fn blank_level(plan: &LevelPlan) -> Level {
    Level {
        index: plan.index as usize,
        load: load_of(plan),
        started_s: Some(plan.start.as_secs_f64()),
        ..Level::default()
    }
}

pub(crate) fn load_of(plan: &LevelPlan) -> Load {
    let (least, most) = (plan.load.users / plan.load.groups, plan.load.group_size(0));
    let group_size = match &plan.roles {
        Some(roles) => roles
            .iter()
            .map(|(role, count)| format!("{count} {role}"))
            .collect::<Vec<_>>()
            .join(", "),
        None if least == most => most.to_string(),
        None => format!("{least} to {most}"),
    };
    let open = plan.load.open.as_ref();
    Load {
        users: plan.load.users.into(),
        groups: plan.load.groups.into(),
        group_size,
        rate_per_s: open.map(|open| open.arrivals.mean_rate()),
        rate: open.map(|open| open.rate.clone()),
        arrivals: open.map(|open| spacing(open.arrivals.spacing()).to_owned()),
        once: plan.once,
    }
}

fn spacing(spacing: plan::Spacing) -> &'static str {
    match spacing {
        plan::Spacing::Even => "even",
        plan::Spacing::Poisson => "poisson",
    }
}
