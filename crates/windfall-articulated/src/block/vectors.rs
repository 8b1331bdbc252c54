//! The vector instructions with which rows are swept.

/// The instructions with which eight bodies are processed at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Vectors {
    /// The best of the machine.
    #[default]
    Best,
    /// AVX2 with FMA at most, as if there was no AVX-512; on machines other than x86-64 the best.
    Avx2,
    /// The baseline of the architecture: SSE2 on x86-64, NEON on `AArch64`.
    Least,
    /// None: bodies are processed one by one, as in f64.
    None,
}
