//! Moves trees: articulated rigid bodies with springs at their joints.
