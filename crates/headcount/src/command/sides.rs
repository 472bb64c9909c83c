use std::thread::available_parallelism;

/// Which cores a built-in system runs on, and which the generator; empty: any.
#[derive(Debug, Default)]
pub(crate) struct Sides {
    pub(crate) system: Vec<usize>,
    pub(crate) generator: Vec<usize>,
}

/// The first cores are the system's, the last one is the generator's. One core they share.
pub(crate) fn sides() -> Sides {
    let cores = available_parallelism().map_or(1, std::num::NonZero::get);
    if cores < 2 {
        return Sides::default();
    }
    Sides {
        system: (0..cores - 1).collect(),
        generator: vec![cores - 1],
    }
}
