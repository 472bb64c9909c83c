//! Many short runs of unusual random scenarios against a server with every fault. Each run must end in time, with a
//! meaningful exit code and a readable, consistent record.
//!
//! `HEADCOUNT_RANDOM_RUNS` sets their number, `HEADCOUNT_RANDOM_SEED` repeats them.

use std::fs;
use std::thread;
use std::time::Duration;

use crate::harness::{Lab, Server};

const RUNS: u64 = 16;

/// A small generator, good enough to choose among scenarios (xorshift64*, Vigna 2016).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % n
    }

    fn one_of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        let at = self.below(list.len() as u64);
        list[usize::try_from(at).unwrap()]
    }

    fn ms(&mut self, least: u64, most: u64) -> String {
        format!("{}ms", least + self.below(most - least + 1))
    }
}

/// Returns the load for the options, and the group size.
fn load(dice: &mut Dice) -> (String, u64) {
    let group = 1 + dice.below(4);
    let groups = 1 + dice.below(8);
    let users = group * groups;
    let hold = dice.ms(200, 700);
    let (ramp, warmup) = (dice.ms(0, 200), dice.ms(0, 100));
    let arrivals = dice.one_of(&["even", "poisson"]);
    let rate = 20 + dice.below(400);
    let load = match dice.below(5) {
        0 => format!(
            "users: [{users}, {}], duration: \"{hold}\", ramp: \"{ramp}\"",
            users * 2
        ),
        1 => format!("users: {users}, once: true, limit: \"{hold}\""),
        2 => format!(
            "rate: \"{rate}/s\", users: {users}, duration: \"{hold}\", ramp: \"{ramp}\", warmup: \"{warmup}\", \
             arrivals: \"{arrivals}\""
        ),
        3 => format!(
            "rate: \"{rate}/s for 100ms, nothing for 50ms, 3 times\", arrivals: \"{arrivals}\""
        ),
        _ => format!("users: {users}, duration: \"{hold}\", warmup: \"{warmup}\""),
    };
    (load, group)
}

/// Returns one action of a user.
fn action(dice: &mut Dice) -> String {
    let path = dice.one_of(&[
        "/delay/5ms",
        "/delay/400ms",
        "/reset",
        "/close",
        "/hang",
        "/error/3",
        "/limit/5/100ms",
        "/slow-write/2000/1000",
        "/leak/100",
        "/queue/2/5ms",
        "/nothing-here",
    ]);
    let room = dice.below(3);
    let fault = dice.one_of(&[
        "",
        "drop=3",
        "duplicate=4",
        "swap=5",
        "stray=6",
        "delay=30ms",
        "drop=7&duplicate=9",
    ]);
    let pause = dice.ms(1, 60);
    match dice.below(9) {
        0..=3 => format!("await user.get(\"{path}\");"),
        4 => format!(
            "await user.step(\"a step\", () => user.post(\"{path}\", {{ json: {{ a: [1, 2, 3] }} }}));"
        ),
        5 => format!(
            "const s{room} = await user.websocket(\"/room/r{room}-{}?echo=1&{fault}\");\n\
             s{room}.receives(said); s{room}.send(said.stamp(user, \"hello\"));\n\
             user.every(\"{pause}\", () => s{room}.send(said.stamp(user)));\n\
             await user.think(\"100ms\");",
            fault.replace(['=', '&'], "-")
        ),
        6 => format!("await user.think(\"{pause}\"); user.check(\"lucky\", user.random() < 0.5);"),
        7 => format!("user.every(\"{pause}\", () => user.get(\"{path}\"));"),
        _ => dice
            .one_of(&[
                "if (user.random() < 0.3) throw new Error(\"on purpose\");",
                "await user.stay();",
                "user.get(\"/delay/50ms\");",
            ])
            .to_owned(),
    }
}

fn scenario(dice: &mut Dice) -> String {
    let (load, group) = load(dice);
    let (settle, total) = (dice.ms(100, 500), dice.ms(50, 800));
    let count = 1 + dice.below(4);
    let actions: Vec<String> = (0..count)
        .map(|_| format!("{{ {} }}", action(dice)))
        .collect();
    let threshold = dice.one_of(&[
        "failed == 0",
        "p95 < 20ms",
        "count > 3 or abort",
        "failed < 50% or abort",
    ]);
    format!(
        "import type {{ Group, Options }} from \"headcount\";\n\
         export const options: Options = {{ group: {group}, load: {{ {load} }}, settle: \"{settle}\",\n\
         timeouts: {{ total: \"{total}\" }}, thresholds: {{ requests: \"{threshold}\" }} }};\n\
         export default async function go({{ everyone, channel }}: Group) {{\n\
         const said = channel(\"said\", {{ to: \"everyone\" }});\n\
         await everyone(async (user) => {{\n{}\n}});\n}}\n",
        actions.join("\n")
    )
}

fn run(seed: u64, truth: &Server) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    dice.below(2);
    let text = scenario(&mut dice);
    let told = format!("HEADCOUNT_RANDOM_SEED={seed}:\n{text}");
    let lab = Lab::new().with("go.ts", &text);
    let workers = (1 + dice.below(2)).to_string();
    let running = lab.start_run("go.ts", &truth.url(), &["--workers", &workers, "--json"]);
    if dice.below(5) == 0 {
        thread::sleep(Duration::from_millis(100 + dice.below(600)));
        running.interrupt();
    }
    let ended = running.end();
    assert!(
        matches!(ended.code, Some(0 | 3 | 98 | 99 | 130)),
        "{told}{ended:#?}"
    );
    let Ok(saved) = fs::read_to_string(lab.path("run/run.json")) else {
        assert_eq!(
            ended.code,
            Some(130),
            "only an interrupted run saves nothing: {told}{ended:#?}"
        );
        return;
    };
    let record = record::from_json(&saved).unwrap_or_else(|why| panic!("{why}: {told}"));
    assert_eq!(record.inconsistencies(), [], "{told}");
    for level in &record.levels {
        assert!(
            level.little.is_none_or(|law| law.holds),
            "{:?} {told}",
            level.little
        );
    }
}

#[test]
fn whatever_is_run_it_ends_in_time_and_adds_up() {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let runs = number("HEADCOUNT_RANDOM_RUNS").unwrap_or(RUNS);
    let first = number("HEADCOUNT_RANDOM_SEED");
    let seeds = match first {
        Some(seed) => seed..seed + 1,
        None => 1..runs + 1,
    };
    println!("seeds {seeds:?}");
    let truth = Server::truth(&[]);
    for seed in seeds {
        run(seed, &truth);
    }
}
