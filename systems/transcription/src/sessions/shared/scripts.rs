use redis::Script;

/// A script that first removes the sessions of ended workers.
macro_rules! after_lapsed {
    ($name:literal) => {
        Script::new(concat!(
            include_str!("../../../lua/lapsed.lua"),
            include_str!(concat!("../../../lua/", $name))
        ))
    };
}

/// The changes that several workers could make at the same time. Redis runs each script as one step.
#[derive(Debug)]
pub(super) struct Scripts {
    pub(super) admit: Script,
    pub(super) beat: Script,
    pub(super) end: Script,
    pub(super) recover: Script,
    pub(super) remove: Script,
}

impl Scripts {
    pub(super) fn new() -> Self {
        Self {
            admit: after_lapsed!("admit.lua"),
            beat: after_lapsed!("beat.lua"),
            end: Script::new(include_str!("../../../lua/end.lua")),
            recover: Script::new(include_str!("../../../lua/recover.lua")),
            remove: Script::new(include_str!("../../../lua/remove.lua")),
        }
    }
}
