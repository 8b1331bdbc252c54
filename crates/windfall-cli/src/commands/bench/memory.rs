//! Whether a large tree fits into free memory.

use std::fs::read_to_string;

/// Peak memory for growing and measuring a tree per body: 1.4 kB for the willow of 970,748 bodies, and some
/// reserve.
const BYTES_PER_BODY: usize = 2000;

/// Whether there is enough memory for this many bodies; false where the system does not report it.
pub fn suffices(bodies: usize) -> bool {
    available().is_some_and(|bytes| bodies.saturating_mul(BYTES_PER_BODY) < bytes)
}

/// Free memory in bytes, by Linux; within the limit of a container.
fn available() -> Option<usize> {
    let free = kilobytes(&read_to_string("/proc/meminfo").ok()?)?.saturating_mul(1024);
    let group = |file: &str| read_to_string(format!("/sys/fs/cgroup/{file}")).ok()?.trim().parse::<usize>().ok();
    match (group("memory.max"), group("memory.current")) {
        (Some(most), Some(used)) => Some(free.min(most.saturating_sub(used))),
        _ => Some(free),
    }
}

fn kilobytes(meminfo: &str) -> Option<usize> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_is_understood() {
        let text = "MemTotal:       24660088 kB\nMemFree:        16018244 kB\nMemAvailable:   23393820 kB\n";
        assert_eq!(kilobytes(text), Some(23_393_820));
        assert_eq!(kilobytes("MemTotal: 1 kB\n"), None);
        assert_eq!(kilobytes("MemAvailable: many kB\n"), None);
    }
}
