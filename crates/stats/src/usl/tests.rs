use rand_core::{RngCore as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

use super::*;

const LOADS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0];

fn law(lambda: f64, sigma: f64, kappa: f64, load: f64) -> f64 {
    lambda * load / (1.0 + sigma * (load - 1.0) + kappa * load * (load - 1.0))
}

fn exact(lambda: f64, sigma: f64, kappa: f64, loads: &[f64]) -> Vec<(f64, f64)> {
    let points = loads.iter();
    points
        .map(|load| (*load, law(lambda, sigma, kappa, *load)))
        .collect()
}

/// A normally distributed number with mean 0 and deviation 1, by the sum of twelve uniform ones.
fn normal_number(random: &mut Pcg64Mcg) -> f64 {
    let uniform = |random: &mut Pcg64Mcg| f64::from(random.next_u32()) / f64::from(u32::MAX);
    (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0
}

#[test]
fn exact_points_give_their_parameters() {
    for (lambda, sigma, kappa) in [
        (100.0, 0.05, 0.0005),
        (3.0, 0.4, 0.02),
        (2e4, 0.0, 0.0),
        (50.0, 1.0, 0.0),
    ] {
        let fit = fit_usl(&exact(lambda, sigma, kappa, &LOADS)).unwrap();
        assert!((fit.lambda.value / lambda - 1.0).abs() < 1e-6, "{fit:?}");
        assert!((fit.sigma.value - sigma).abs() < 1e-6, "{fit:?}");
        assert!((fit.kappa.value - kappa).abs() < 1e-7, "{fit:?}");
        assert!(fit.error < 1e-6);
    }
}

#[test]
fn loads_of_very_different_sizes_are_fitted() {
    let loads = [0.1, 1.0, 10.0, 100.0, 1000.0, 10_000.0];
    let fit = fit_usl(&exact(10.0, 0.001, 1e-9, &loads)).unwrap();
    assert!((fit.sigma.value / 0.001 - 1.0).abs() < 1e-4, "{fit:?}");
    assert!((fit.kappa.value / 1e-9 - 1.0).abs() < 1e-2, "{fit:?}");
}

#[test]
fn intervals_contain_the_true_parameters_in_about_95_percent_of_the_cases() {
    const RUNS: u32 = 600;
    let (lambda, sigma, kappa) = (100.0, 0.05, 0.0008);
    for (noise, seed) in [(0.01, 1), (0.05, 2)] {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let mut inside = [0_u32; 3];
        for _ in 0..RUNS {
            let mut points = exact(lambda, sigma, kappa, &LOADS);
            for (_, throughput) in &mut points {
                *throughput *= (noise * normal_number(&mut random)).exp();
            }
            let fit = fit_usl(&points).unwrap();
            let truth = [(fit.lambda, lambda), (fit.sigma, sigma), (fit.kappa, kappa)];
            for (count, (parameter, truth)) in inside.iter_mut().zip(truth) {
                *count += u32::from((parameter.low..=parameter.high).contains(&truth));
            }
        }
        for count in inside {
            let share = f64::from(count) / f64::from(RUNS);
            assert!((0.92..=0.98).contains(&share), "{inside:?} of {RUNS}");
        }
    }
}

#[test]
fn too_few_points_or_loads_determine_nothing() {
    assert_eq!(fit_usl(&exact(10.0, 0.1, 0.01, &LOADS[..4])), None);
    assert_eq!(fit_usl(&exact(10.0, 0.1, 0.01, &[4.0; 9])), None);
    assert_eq!(
        fit_usl(&exact(10.0, 0.1, 0.01, &[4.0, 8.0].repeat(4))),
        None
    );
    assert_eq!(fit_usl(&[(0.0, 1.0); 9]), None);
}
