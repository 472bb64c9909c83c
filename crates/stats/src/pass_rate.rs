//! Exact confidence intervals of pass rates, and an exact test of whether two rates differ. Intervals and test are
//! valid for any number of trials.

/// The probability on each side of a two-sided 95 % interval.
const TAIL: f64 = 0.025;

/// The exact 95 % confidence interval of the true share, after `hits` hits in `trials` trials. `None` without trials.
///
/// This is the interval of Clopper and Pearson (Biometrika 26, 1934). It contains every share for which P(at least
/// `hits`) and P(at most `hits`) are both at least 2.5 %. It is never too narrow, even with no hits or only hits: 16 of
/// 16 gives 79.4 % to 100 %.
pub fn clopper_pearson(hits: u64, trials: u64) -> Option<(f64, f64)> {
    if trials == 0 {
        return None;
    }
    let (hits, n) = (hits.min(trials) as f64, trials as f64);
    let misses = n - hits;
    let low = if hits == 0.0 {
        0.0
    } else {
        share_where(TAIL, |share| beta(share, hits, misses + 1.0))
    };
    let high = if misses == 0.0 {
        1.0
    } else {
        share_where(1.0 - TAIL, |share| beta(share, hits + 1.0, misses))
    };
    Some((low, high))
}

/// Fisher's exact test of two shares, two-sided: the probability of a result at least as rare as this one, if the true
/// shares are equal. As in R, the sum covers all tables with the same totals that are not more probable than this
/// table. The result is 1 if one side has no trials.
///
/// R. A. Fisher, Statistical Methods for Research Workers, 5th edition, 1934, § 21.02.
pub fn fisher((hits, trials): (u64, u64), (other_hits, other_trials): (u64, u64)) -> f64 {
    const ROUNDING: f64 = 1e-7;
    let (hits, other_hits) = (hits.min(trials), other_hits.min(other_trials));
    let all = hits + other_hits;
    let whole = ln_choose(trials + other_trials, all);
    let weight = |x: u64| (ln_choose(trials, x) + ln_choose(other_trials, all - x) - whole).exp();
    let limit = weight(hits) * (1.0 + ROUNDING);
    let tables = all.saturating_sub(other_trials)..=all.min(trials);
    let rare = tables.map(weight).filter(|&weight| weight <= limit);
    rare.sum::<f64>().min(1.0)
}

fn ln_choose(n: u64, k: u64) -> f64 {
    ln_gamma(n as f64 + 1.0) - ln_gamma(k as f64 + 1.0) - ln_gamma((n - k) as f64 + 1.0)
}

/// Finds by bisection the share at which `rising` has this value. `rising` grows from 0 at share 0 to 1 at share 1.
fn share_where(value: f64, rising: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if rising(middle) < value {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The regularized incomplete beta function `I_x(a, b)`, from its continued fraction (NIST Digital Library of
/// Mathematical Functions, 8.17.22) by Lentz's method.
pub(crate) fn beta(x: f64, a: f64, b: f64) -> f64 {
    if !(0.0..1.0).contains(&x) {
        return x.clamp(0.0, 1.0);
    }
    let front = a * x.ln() + b * (-x).ln_1p() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b);
    if converges(x, a, b) {
        front.exp() * fraction(x, a, b) / a
    } else {
        1.0 - front.exp() * fraction(1.0 - x, b, a) / b
    }
}

/// Whether the continued fraction for `x` converges rapidly. If not, the continued fraction for `1 - x` does.
fn converges(x: f64, a: f64, b: f64) -> bool {
    x < (a + 1.0) / (a + b + 2.0)
}

/// Replaces values near zero, so that Lentz's method can divide by them.
fn away(value: f64) -> f64 {
    const TINY: f64 = 1e-300;
    if value.abs() < TINY { TINY } else { value }
}

fn fraction(x: f64, a: f64, b: f64) -> f64 {
    const ENOUGH: f64 = 1e-15;
    let mut upper = 1.0;
    let mut lower = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut product = lower;
    for step in 1..100_000 {
        let at = f64::from(step);
        let even = at * (b - at) * x / ((a + 2.0 * at - 1.0) * (a + 2.0 * at));
        let odd = -(a + at) * (a + b + at) * x / ((a + 2.0 * at) * (a + 2.0 * at + 1.0));
        let mut last = 1.0;
        for term in [even, odd] {
            lower = 1.0 / away(1.0 + term * lower);
            upper = away(1.0 + term / upper);
            last = upper * lower;
            product *= last;
        }
        if (last - 1.0).abs() < ENOUGH {
            break;
        }
    }
    product
}

/// The logarithm of the gamma function for positive `x`, by the approximation of Lanczos (SIAM J. Numer. Anal. B 1,
/// 1964; g = 7, nine terms).
fn ln_gamma(x: f64) -> f64 {
    const G: f64 = 7.0;
    const TERMS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let terms = TERMS.iter().zip(0_u32..).skip(1);
    let sum = terms.fold(TERMS[0], |sum, (term, at)| sum + term / (x + f64::from(at)));
    let t = x + G + 0.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}
