//! Spinners and bars on stderr for long work; nothing off a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Runs `work` under a spinner with a message.
pub fn during<T>(message: impl Into<String>, work: impl FnOnce() -> T) -> T {
    let spinner = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        spinner.set_style(style);
    }
    spinner.set_message(message.into());
    spinner.enable_steady_tick(Duration::from_millis(100));
    let result = work();
    spinner.finish_and_clear();
    result
}

/// A bar for `total` steps; call `inc` on it.
pub fn bar(message: impl Into<String>, total: usize) -> ProgressBar {
    let bar = ProgressBar::new(total as u64);
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {percent} % {eta}") {
        bar.set_style(style);
    }
    bar.with_message(message.into())
}
