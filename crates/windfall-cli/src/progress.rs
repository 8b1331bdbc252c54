//! A spinner on stderr for work that takes a while; nothing off a terminal.

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
