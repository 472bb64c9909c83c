use engine::Clock;
use fleet::{AgentOptions, AgentState};

use crate::args::AgentArgs;
use crate::exit::Exit;
use crate::screen::say;

/// `headcount agent`
pub(crate) fn agent(args: AgentArgs) -> anyhow::Result<Exit> {
    if let Err(why) = probe::raise_descriptor_limit() {
        say(&format!(
            "warning: cannot raise the limit of open files: {why}"
        ));
    }
    let options = AgentOptions {
        nats: args.credentials.access(args.nats),
        name: args.name,
        allows_any_target: args.allow_any_target,
    };
    fleet::serve(options, Clock::start(), |name, state| {
        say(&match state {
            AgentState::Waits => format!("agent `{name}` waits for runs"),
            AgentState::TakesPart => format!("agent `{name}` takes part in a run"),
        });
    })?;
    Ok(Exit::Passed)
}
