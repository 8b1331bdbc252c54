//! A finished picture.

/// 8-bit sRGB with straight (not premultiplied) alpha, rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `width * height` of them.
    pub pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// All pixels of one colour.
    pub fn filled(width: u32, height: u32, color: [u8; 4]) -> Self {
        Self { width, height, pixels: vec![color; width as usize * height as usize] }
    }

    /// The pixel in this column and row, counted from the upper left corner.
    ///
    /// # Panics
    /// If the pixel is outside the picture.
    pub fn at(&self, x: u32, y: u32) -> [u8; 4] {
        assert!(x < self.width && y < self.height, "pixel {x}, {y} of {} x {}", self.width, self.height);
        self.pixels[y as usize * self.width as usize + x as usize]
    }

    /// Whether every pixel is opaque.
    pub fn is_opaque(&self) -> bool {
        self.pixels.iter().all(|p| p[3] == 255)
    }
}
