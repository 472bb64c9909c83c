//! The settings of the load generator, which several commands share.

use std::path::Path;

use engine::Settings;
use plan::Overrides;
use script::Env;

use crate::args::GeneratorArgs;
use crate::screen::say;

/// Checks that the given process exists, and that the machine has the given cores.
fn check_machine(args: &GeneratorArgs) -> anyhow::Result<()> {
    if let Some(pid) = args
        .target_pid
        .filter(|pid| !Path::new(&format!("/proc/{pid}")).exists())
    {
        anyhow::bail!("--target-pid {pid}: no such process on this machine");
    }
    let allowed = probe::own_cores();
    let refused = |core: &&usize| !allowed.is_empty() && !allowed.contains(core);
    if let Some(core) = args.cores.iter().find(refused) {
        let known: Vec<String> = allowed.iter().map(usize::to_string).collect();
        let known = known.join(", ");
        anyhow::bail!("--cores {core}: this process may only use the cores {known}");
    }
    Ok(())
}

pub(crate) fn generator_settings(
    args: &GeneratorArgs,
    overrides: Overrides,
) -> anyhow::Result<Settings> {
    check_machine(args)?;
    if let Err(why) = probe::raise_descriptor_limit() {
        say(&format!(
            "warning: cannot raise the limit of open files: {why}"
        ));
    }
    Ok(Settings {
        overrides,
        workers: args.workers,
        cores: args.cores.clone(),
        target_is_mine: args.target_is_mine,
        target_version: args.target_version.clone(),
        target_pid: args.target_pid,
        root: None,
        env: Env::default(),
        trace: false,
        fresh_seed: fresh_seed()?,
    })
}

/// Returns a random seed of 53 bits, which stays exact if a JSON reader stores numbers as doubles.
pub(crate) fn fresh_seed() -> anyhow::Result<u64> {
    Ok(getrandom::u64()? >> 11)
}
