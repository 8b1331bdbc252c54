//! The number type of a solver.

use num_traits::{Float, NumAssign};

use super::Number;

/// `f32` or `f64`.
pub trait Real: Float + NumAssign + Number<Which = bool> + std::fmt::Debug + Default + Send + Sync + 'static {
    /// Whether bodies of this precision are swept eight at a time.
    const HAS_LANES: bool;
    /// The nearest number of this type.
    fn of(value: f64) -> Self;
    /// The same number in `f64`.
    fn f64(self) -> f64;
    /// The same value, if its numbers are `f32`: kernels for eight bodies at a time are written for `f32`
    /// alone.
    fn single<F: Family>(thing: &F::Of<Self>) -> Option<&F::Of<f32>>;
    /// The same, mutable.
    fn single_mut<F: Family>(thing: &mut F::Of<Self>) -> Option<&mut F::Of<f32>>;
    /// Selects from two values the one whose numbers are of this type.
    fn pick<'a, F: Family>(single: &'a mut F::Of<f32>, double: &'a mut F::Of<f64>) -> &'a mut F::Of<Self>;
}

/// A type for each number type: [`Real::single`] needs a name for it.
pub trait Family {
    /// The type for numbers of this kind.
    type Of<T: Real>;
}

impl Real for f32 {
    const HAS_LANES: bool = true;

    fn of(value: f64) -> Self {
        value as f32
    }

    fn f64(self) -> f64 {
        f64::from(self)
    }

    fn single<F: Family>(thing: &F::Of<Self>) -> Option<&F::Of<f32>> {
        Some(thing)
    }

    fn single_mut<F: Family>(thing: &mut F::Of<Self>) -> Option<&mut F::Of<f32>> {
        Some(thing)
    }

    fn pick<'a, F: Family>(single: &'a mut F::Of<f32>, _: &'a mut F::Of<f64>) -> &'a mut F::Of<Self> {
        single
    }
}

impl Real for f64 {
    const HAS_LANES: bool = false;

    fn of(value: f64) -> Self {
        value
    }

    fn f64(self) -> f64 {
        self
    }

    fn single<F: Family>(_: &F::Of<Self>) -> Option<&F::Of<f32>> {
        None
    }

    fn single_mut<F: Family>(_: &mut F::Of<Self>) -> Option<&mut F::Of<f32>> {
        None
    }

    fn pick<'a, F: Family>(_: &'a mut F::Of<f32>, double: &'a mut F::Of<f64>) -> &'a mut F::Of<Self> {
        double
    }
}
