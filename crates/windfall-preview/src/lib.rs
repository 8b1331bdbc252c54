//! Pictures of trees, drawn on the CPU.
