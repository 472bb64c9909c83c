use record::Window;

/// A second of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LiveSecond {
    /// Its figures.
    pub window: Window,
    /// How busy the busiest worker of the generator was, in percent.
    pub busy_percent: Option<f64>,
    /// CPU of the target's process, in percent of one core.
    pub target_cpu_percent: Option<f64>,
}
