//! Simulates runs request by request. Their true figures are known before any report is written. This module is
//! independent of the audit.

/// A portable random generator: a seed gives the same report on every machine.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn part(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((self.part() * end as f64) as usize).min(end - 1)
    }

    pub(crate) fn among<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    pub(crate) fn chance(&mut self, of: f64) -> bool {
        self.part() < of
    }

    fn exponential(&mut self, mean: f64) -> f64 {
        -mean * self.part().ln()
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.part().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.part()).cos()
    }
}

/// Distribution of an operation's time, in milliseconds.
#[derive(Clone, Copy)]
enum Shape {
    Constant,
    Exponential,
    LongTail,
    Cached,
}

#[derive(Clone, Copy)]
struct Operation {
    shape: Shape,
    mean_ms: f64,
    failing: f64,
    /// Whether failures take a hundredth of the time. Otherwise they take as long as successes.
    fails_fast: bool,
}

impl Operation {
    fn time(self, growth: f64, dice: &mut Dice) -> f64 {
        let mean = self.mean_ms * growth;
        match self.shape {
            Shape::Constant => mean * (0.98 + 0.04 * dice.part()),
            Shape::Exponential => dice.exponential(mean),
            Shape::LongTail => 0.4 * mean * (1.3 * dice.normal()).exp(),
            Shape::Cached => mean * if dice.chance(0.03) { 20.0 } else { 0.5 },
        }
    }
}

/// The growth of times with the number of users.
#[derive(Clone, Copy)]
enum Growth {
    None,
    Line,
    Proportional,
    Cliff,
}

/// The results of some requests.
#[derive(Clone, Default)]
pub(crate) struct Fate {
    pub(crate) started: u64,
    pub(crate) ok: u64,
    pub(crate) kinds: [u64; 2],
    pub(crate) unfinished: u64,
    /// Times of the ended requests, ascending, each with whether it succeeded.
    pub(crate) times: Vec<(f64, bool)>,
    /// Messages that arrived at receivers.
    pub(crate) received: u64,
}

impl Fate {
    pub(crate) fn failed(&self) -> u64 {
        self.kinds.iter().sum()
    }

    pub(crate) fn ended(&self) -> u64 {
        self.ok + self.failed()
    }

    fn add(&mut self, other: &Self) {
        self.started += other.started;
        self.ok += other.ok;
        self.kinds = [
            self.kinds[0] + other.kinds[0],
            self.kinds[1] + other.kinds[1],
        ];
        self.unfinished += other.unfinished;
        self.received += other.received;
        self.times.extend(&other.times);
        self.times.sort_by(|one, other| one.0.total_cmp(&other.0));
    }
}

/// One load and its results.
pub(crate) struct Truth {
    pub(crate) users: usize,
    pub(crate) version: u32,
    pub(crate) ramp_s: f64,
    /// The duration from which the rate is computed, with or without the ramp-up.
    pub(crate) duration_s: f64,
    pub(crate) pause_s: f64,
    /// Planned starts per second of an open load.
    pub(crate) offered: f64,
    pub(crate) rows: Vec<Fate>,
    pub(crate) whole: Fate,
    /// Requests started in each window. A window is a fifth of the counted time.
    pub(crate) windows: [u64; 5],
    pub(crate) window_s: f64,
}

/// A simulated run, and the properties that all of its levels share.
pub(crate) struct World {
    pub(crate) closed: bool,
    pub(crate) fan_out: Option<u64>,
    pub(crate) levels: Vec<Truth>,
}

/// The part of a run that is counted, and the duration from which the rate is computed.
#[derive(Clone, Copy, PartialEq)]
enum Counted {
    /// The whole run with its ramp-up.
    Whole,
    /// Counts of the whole run with its ramp-up; the rate divides them by the time after the ramp-up.
    WholeOverSteady,
    /// Requests that started after the ramp-up.
    StartedSteady,
    /// Starts after the ramp-up, and ends after the ramp-up. The ends include requests that started before.
    Steady,
}

struct Plan {
    closed: bool,
    counted: Counted,
    operations: Vec<Operation>,
    growth: Growth,
    fan_out: Option<u64>,
    losing: f64,
    steady_s: f64,
    ramp_s: f64,
    pause_s: f64,
}

impl Plan {
    /// Begins requests at their planned times. `request` returns the end of each.
    fn drive(
        &self,
        (users, asked): (usize, f64),
        (ramp_s, end_s): (f64, f64),
        dice: &mut Dice,
        mut request: impl FnMut(f64, &mut Dice) -> f64,
    ) {
        if self.closed {
            for user in 0..users {
                let mut at = ramp_s * user as f64 / users as f64;
                while at < end_s {
                    at = request(at, dice) + self.pause_s * (0.9 + 0.2 * dice.part());
                }
            }
        } else {
            let mut at = dice.exponential(1.0 / asked);
            while at < end_s {
                request(at, dice);
                at += dice.exponential(1.0 / asked);
            }
        }
    }

    /// Mean time between two requests of a user, in seconds.
    fn per_user_s(&self, growth: f64) -> f64 {
        let all: f64 = self.operations.iter().map(|one| one.mean_ms).sum();
        let mean_s = growth * all / (1e3 * self.operations.len() as f64);
        (mean_s + self.pause_s).max(1e-4)
    }
}

pub(crate) fn world(dice: &mut Dice) -> World {
    let operation = |dice: &mut Dice| Operation {
        shape: dice.among(&[
            Shape::Constant,
            Shape::Exponential,
            Shape::LongTail,
            Shape::Cached,
        ]),
        mean_ms: dice.among(&[0.4, 2.0, 9.0, 40.0, 300.0]),
        failing: dice.among(&[0.0, 0.0, 0.0, 0.001, 0.02, 0.4]),
        fails_fast: dice.chance(0.5),
    };
    let count = dice.among(&[1, 1, 2, 3, 4]);
    let plan = Plan {
        closed: dice.chance(0.7),
        counted: dice.among(&[
            Counted::Whole,
            Counted::WholeOverSteady,
            Counted::StartedSteady,
            Counted::Steady,
        ]),
        operations: (0..count).map(|_| operation(dice)).collect(),
        growth: dice.among(&[
            Growth::None,
            Growth::Line,
            Growth::Proportional,
            Growth::Cliff,
        ]),
        fan_out: dice.chance(0.3).then(|| 1 + dice.below(9) as u64),
        losing: dice.among(&[0.0, 0.0, 0.01, 0.3]),
        steady_s: dice.among(&[2.0, 5.0, 5.37, 10.0, 12.3, 30.0]),
        ramp_s: dice.among(&[0.0, 0.0, 1.0, 5.0, 12.0]),
        pause_s: dice.among(&[0.0, 0.0, 0.1, 1.0]),
    };
    let first = dice.among(&[1, 2, 5, 10]);
    let factors = dice.among(&[
        &[1][..],
        &[1, 2],
        &[1, 2, 4],
        &[1, 3],
        &[1, 2, 4, 5],
        &[2, 2],
    ]);
    let limit = 4000.0 / factors.len() as f64;
    let levels = factors
        .iter()
        .enumerate()
        .map(|(index, factor)| {
            let growth = growth(plan.growth, *factor, index);
            let version = u32::from(factors == [2, 2] && index == 1) + 1;
            level(
                &plan,
                first * factor,
                (growth / f64::from(version), limit),
                version,
                dice,
            )
        })
        .collect();
    World {
        closed: plan.closed,
        fan_out: plan.fan_out,
        levels,
    }
}

fn growth(growth: Growth, factor: usize, index: usize) -> f64 {
    match growth {
        Growth::Line => 2.0 + factor as f64,
        Growth::Proportional => factor as f64,
        Growth::Cliff if index > 0 => 25.0,
        Growth::None | Growth::Cliff => 1.0,
    }
}

fn level(
    plan: &Plan,
    users: usize,
    (growth, limit): (f64, f64),
    version: u32,
    dice: &mut Dice,
) -> Truth {
    let asked = users as f64 / plan.per_user_s(growth);
    // Shortens the run so that it has a few thousand requests.
    let shorter = (limit / (asked * (plan.steady_s + plan.ramp_s))).min(1.0);
    let (steady_s, ramp_s) = (plan.steady_s * shorter, plan.ramp_s * shorter);
    let end_s = steady_s + ramp_s;
    let all = matches!(plan.counted, Counted::Whole | Counted::WholeOverSteady);
    let from_s = if all { 0.0 } else { ramp_s };
    let mut truth = Truth {
        users,
        version,
        ramp_s,
        duration_s: if plan.counted == Counted::Whole {
            end_s
        } else {
            steady_s
        },
        pause_s: plan.pause_s,
        offered: asked,
        rows: vec![Fate::default(); plan.operations.len()],
        whole: Fate::default(),
        windows: [0; 5],
        window_s: (end_s - from_s) / 5.0,
    };
    let request = |at: f64, truth: &mut Truth, dice: &mut Dice| {
        let which = dice.below(plan.operations.len());
        let operation = plan.operations[which];
        let fails = dice.chance(operation.failing);
        let mut took = operation.time(growth, dice);
        if fails && operation.fails_fast {
            took *= 0.01;
        }
        let fate = &mut truth.rows[which];
        let counted = at >= from_s;
        let ended = at + took / 1e3;
        if counted {
            fate.started += 1;
            truth.windows[(((at - from_s) / truth.window_s) as usize).min(4)] += 1;
        }
        if ended > end_s {
            fate.unfinished += u64::from(counted);
        } else if counted || plan.counted == Counted::Steady && ended >= from_s {
            fate.ok += u64::from(!fails);
            fate.kinds[dice.below(2)] += u64::from(fails);
            fate.times.push((took, !fails));
            if let Some(receivers) = plan.fan_out.filter(|_| counted) {
                fate.received +=
                    (0..receivers).filter(|_| !dice.chance(plan.losing)).count() as u64;
            }
        }
        ended
    };
    plan.drive((users, asked), (ramp_s, end_s), dice, |at, dice| {
        request(at, &mut truth, dice)
    });
    for row in &mut truth.rows {
        row.times.sort_by(|one, other| one.0.total_cmp(&other.0));
        truth.whole.add(row);
    }
    truth
}
