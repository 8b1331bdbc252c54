//! Sessions on the command line: every `.trycmd` file is a session with its output and exit codes.
//! After an intended change: `TRYCMD=overwrite cargo test -p windfall-cli`, then read the difference.

#[test]
fn sessions() {
    trycmd::TestCases::new().default_bin_name("windfall").case("tests/cmd/*.trycmd").run();
}
