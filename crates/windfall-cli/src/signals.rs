//! Signals that end the program: no unfinished file stays behind.

use windfall::io::atomic::give_up;

/// From now on Ctrl-C, SIGTERM and SIGHUP delete unfinished files before they end the program. The exit
/// status stays that of the signal, which shells report as 128 plus its number.
#[cfg(unix)]
pub fn clean_up() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let ignored = ignored();
    let heard = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = signal_hook::iterator::Signals::new(heard)?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in &mut signals {
            give_up(|| {
                let _ = signal_hook::low_level::emulate_default_handler(signal);
                std::process::exit(128 + signal);
            });
        }
    })?;
    Ok(())
}

/// Signals that were ignored at the start of the program (`nohup`, background jobs of a script), one bit
/// each from signal 1 on; they must stay ignored. Known on Linux only.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// From now on Ctrl-C, Ctrl-Break and closing the console delete unfinished files before they end the
/// program.
#[cfg(windows)]
pub fn clean_up() -> Result<(), ctrlc::Error> {
    /// The exit status that the system itself would use.
    const STATUS_CONTROL_C_EXIT: i32 = 0xC000_013A_u32 as i32;
    ctrlc::set_handler(|| give_up(|| std::process::exit(STATUS_CONTROL_C_EXIT)))
}
