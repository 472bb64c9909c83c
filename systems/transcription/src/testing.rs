//! Values for unit tests.

use crate::config::Config;

pub(crate) fn config(arguments: &[&str]) -> Config {
    kit::testing::config(arguments)
}
