use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;
use fleet::{CertificateFiles, NatsAccess};

#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount agent --nats nats://10.0.0.5:4222
  headcount agent --nats tls://user:password@nats.example:4222 --name rack-7
  HEADCOUNT_NATS_TOKEN=s3cret headcount agent --nats nats://10.0.0.5:4222
  headcount agent --nats tls://nats.example:4222 --nats-creds agents.creds
  headcount run room.ts --fleet nats://10.0.0.5:4222 --agents 4   on another machine

An agent ends its load within 3 seconds if the coordinator ends or cannot be reached.")]
pub(crate) struct AgentArgs {
    /// NATS server with JetStream: nats://HOST:PORT, or tls://HOST:PORT
    #[arg(long, value_name = "URL")]
    pub(crate) nats: String,
    #[command(flatten)]
    pub(crate) credentials: NatsCredentials,
    /// Name of the agent, in letters, digits, `-` and `_` [default: the machine's name and the process ID]
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(crate) name: Option<String>,
    /// Let runs with `--target-is-mine` load targets outside this machine and private networks
    #[arg(long)]
    pub(crate) allow_any_target: bool,
}

/// What proves to a NATS server who we are.
#[derive(Debug, clap::Args)]
#[expect(
    clippy::struct_field_names,
    reason = "the names of the options come from them"
)]
pub(crate) struct NatsCredentials {
    /// Token for the NATS server of a fleet, if its URL has none. Prefer the variable: other users of this machine can read
    /// the arguments of its programs
    #[arg(
        long,
        value_name = "TOKEN",
        env = "HEADCOUNT_NATS_TOKEN",
        hide_env_values = true,
        help_heading = "Fleet"
    )]
    pub(crate) nats_token: Option<String>,
    /// Credentials file (.creds) for the NATS server: a JWT and an nkey seed. It takes precedence over a token and a password
    #[arg(
        long,
        value_name = "FILE",
        env = "HEADCOUNT_NATS_CREDS",
        hide_env_values = true,
        help_heading = "Fleet"
    )]
    pub(crate) nats_creds: Option<PathBuf>,
    /// Client certificate for a NATS server that verifies its clients, in PEM
    #[arg(
        long,
        value_name = "FILE",
        env = "HEADCOUNT_NATS_CERT",
        hide_env_values = true,
        help_heading = "Fleet",
        requires = "nats_key"
    )]
    pub(crate) nats_cert: Option<PathBuf>,
    /// Private key of the client certificate, in PEM
    #[arg(
        long,
        value_name = "FILE",
        env = "HEADCOUNT_NATS_KEY",
        hide_env_values = true,
        help_heading = "Fleet",
        requires = "nats_cert"
    )]
    pub(crate) nats_key: Option<PathBuf>,
    /// Certificates of the authorities to trust for the NATS server, in PEM [default: those of this machine]
    #[arg(
        long,
        value_name = "FILE",
        env = "HEADCOUNT_NATS_CA",
        hide_env_values = true,
        help_heading = "Fleet"
    )]
    pub(crate) nats_ca: Option<PathBuf>,
}

impl NatsCredentials {
    /// The access to the server with this URL.
    pub(crate) fn access(&self, url: String) -> NatsAccess {
        let files = self.nats_cert.clone().zip(self.nats_key.clone());
        NatsAccess {
            url,
            token: self.nats_token.clone(),
            creds: self.nats_creds.clone(),
            certificate: files.map(|(cert, key)| CertificateFiles { cert, key }),
            ca: self.nats_ca.clone(),
        }
    }
}

/// Options of a run on a fleet.
#[derive(Debug, clap::Args)]
pub(crate) struct FleetArgs {
    /// Run on agents: the URL of their NATS server, or `local:N` for N agents on this machine. `--workers` then counts
    /// the workers of each agent
    #[arg(long, value_name = "URL|local:N", help_heading = "Fleet")]
    pub(crate) fleet: Option<FleetPlace>,
    #[command(flatten)]
    pub(crate) credentials: NatsCredentials,
    /// Number of agents that take part [default: all that are free]
    #[arg(long, value_name = "N", help_heading = "Fleet", requires = "fleet", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) agents: Option<u32>,
    /// Number of workers of single agents, such as `rack-7=8,rack-8=2`. The share of an agent is proportional to its workers
    /// [default: --workers, or as many as its cores allow]
    #[arg(long, value_name = "NAME=N,…", help_heading = "Fleet", requires = "fleet", value_delimiter = ',', value_parser = weight)]
    pub(crate) weights: Vec<(String, u32)>,
    /// What follows when an agent is lost: the run ends in order, or continues without it. In both cases, the level is
    /// invalid
    #[arg(long, value_enum, help_heading = "Fleet", requires = "fleet", default_value_t = LostAgent::Stop)]
    pub(crate) lost_agent: LostAgent,
}

/// Where the agents are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FleetPlace {
    /// This number of agents is started on this machine.
    Local(usize),
    /// They have joined this NATS server.
    Nats(String),
}

impl FromStr for FleetPlace {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let number = match given.strip_prefix("local:") {
            Some(number) => number,
            None if given == "local" => "",
            None => return Ok(Self::Nats(given.to_owned())),
        };
        match number.parse() {
            Ok(agents @ 1..=64) => Ok(Self::Local(agents)),
            _ => Err("expected local:N with 1 to 64 agents".to_owned()),
        }
    }
}

/// What follows when an agent is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LostAgent {
    /// The run ends in order.
    Stop,
    /// The run continues without it.
    Continue,
}

/// Names are parts of NATS subjects.
fn name(given: &str) -> Result<String, String> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    if given.is_empty() || given.len() > 64 || !given.chars().all(fits) {
        return Err("expected up to 64 letters, digits, `-` and `_`".to_owned());
    }
    Ok(given.to_owned())
}

/// A weight: `NAME=N`.
fn weight(given: &str) -> Result<(String, u32), String> {
    let (agent, workers) = given
        .split_once('=')
        .ok_or("expected NAME=N, such as rack-7=8")?;
    match workers.parse() {
        Ok(workers @ 1..=1024) => Ok((name(agent)?, workers)),
        _ => Err(format!("{agent}: expected 1 to 1,024 workers")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_local_fleet_has_a_number_of_agents() {
        assert_eq!("local:4".parse(), Ok(FleetPlace::Local(4)));
        for wrong in ["local", "local:", "local:0", "local:x", "local:65"] {
            assert!(wrong.parse::<FleetPlace>().is_err(), "{wrong}");
        }
        let url = "nats://host:4222";
        assert_eq!(url.parse(), Ok(FleetPlace::Nats(url.to_owned())));
    }

    #[test]
    fn a_weight_has_a_name_and_a_number() {
        assert_eq!(weight("rack-7=8"), Ok(("rack-7".to_owned(), 8)));
        for wrong in ["rack-7", "=2", "rack-7=0", "rack-7=x", "rack-7=2000"] {
            assert!(weight(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_are_parts_of_subjects() {
        assert!(name("rack-7_b").is_ok());
        for wrong in ["", "a.b", "a b", "a>", "*"] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
    }
}
