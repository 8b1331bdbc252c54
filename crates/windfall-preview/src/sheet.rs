//! Contact sheets.

use embedded_graphics::mono_font::ascii::{FONT_7X13, FONT_10X20};
use embedded_graphics::mono_font::{MonoFont, MonoTextStyle};
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{Dimensions, DrawTarget, Drawable, Pixel, Point, RgbColor, Size};
use embedded_graphics::primitives::Rectangle;
use embedded_graphics::text::{Alignment, Text};

use crate::error::PreviewError;
use crate::options::check_size;
use crate::picture::Picture;

/// Pixels between pictures.
const GAP: u32 = 8;
const PAPER: [u8; 4] = [250, 250, 248, 255];
const INK: Rgb888 = Rgb888::new(50, 54, 50);

/// Puts pictures side by side in rows of `columns`, each in a cell of the size of the largest, with its
/// label (ASCII) below it. There may be fewer labels than pictures; without labels no space is reserved.
pub fn contact_sheet(pictures: &[Picture], columns: u32, labels: &[&str]) -> Result<Picture, PreviewError> {
    if pictures.is_empty() || columns == 0 {
        let (what, rule) = ("the number of pictures or columns of a contact sheet", "must be at least 1");
        return Err(PreviewError::Option { what, value: 0.0, rule });
    }
    let cell_width = pictures.iter().map(|p| p.width).max().unwrap_or(1);
    let cell_height = pictures.iter().map(|p| p.height).max().unwrap_or(1);
    let font = font(cell_width);
    let text_height = if labels.is_empty() { 0 } else { font.character_size.height + GAP };
    let columns = columns.min(pictures.len() as u32);
    let (width, height) = sheet_size([cell_width, cell_height], pictures.len() as u32, columns, !labels.is_empty())?;
    let mut sheet = Picture::filled(width, height, PAPER);
    for (i, picture) in pictures.iter().enumerate() {
        let (column, row) = (i as u32 % columns, i as u32 / columns);
        let left = GAP + column * (cell_width + GAP);
        let top = GAP + row * (cell_height + text_height + GAP);
        paste(&mut sheet, picture, left + (cell_width - picture.width) / 2, top + (cell_height - picture.height) / 2);
        if let Some(label) = labels.get(i) {
            let middle = Point::new((left + cell_width / 2) as i32, (top + cell_height + GAP / 2) as i32);
            let most = (cell_width / font.character_size.width).max(1) as usize;
            let label: String = label.chars().take(most).collect();
            let baseline = middle + Point::new(0, font.baseline as i32);
            let text = Text::with_alignment(&label, baseline, MonoTextStyle::new(font, INK), Alignment::Center);
            match text.draw(&mut Canvas(&mut sheet)) {
                Ok(_) => {}
                Err(never) => match never {},
            }
        }
    }
    Ok(sheet)
}

/// Width and height of a [`contact_sheet`] of `pictures` (at least one) of this size in `columns` (at
/// least one), with or without labels; an error if it would be too large.
pub fn sheet_size(cell: [u32; 2], pictures: u32, columns: u32, labelled: bool) -> Result<(u32, u32), PreviewError> {
    let text_height = if labelled { font(cell[0]).character_size.height + GAP } else { 0 };
    let columns = columns.clamp(1, pictures.max(1));
    let rows = pictures.div_ceil(columns);
    let side = |n: u32, cell: u64| u64::from(n) * (cell + u64::from(GAP)) + u64::from(GAP);
    let (width, height) = (side(columns, cell[0].into()), side(rows, u64::from(cell[1]) + u64::from(text_height)));
    let (width, height) = (width.min(u64::from(u32::MAX)) as u32, height.min(u64::from(u32::MAX)) as u32);
    check_size(width, height)?;
    Ok((width, height))
}

fn font(cell_width: u32) -> &'static MonoFont<'static> {
    if cell_width < 240 { &FONT_7X13 } else { &FONT_10X20 }
}

/// Copies a picture onto the sheet; transparent pixels show the background.
fn paste(sheet: &mut Picture, picture: &Picture, left: u32, top: u32) {
    for (y, row) in picture.pixels.chunks(picture.width as usize).enumerate() {
        let start = (top as usize + y) * sheet.width as usize + left as usize;
        for (to, from) in sheet.pixels[start..start + row.len()].iter_mut().zip(row) {
            let a = u32::from(from[3]);
            for k in 0..3 {
                to[k] = ((u32::from(from[k]) * a + u32::from(to[k]) * (255 - a) + 127) / 255) as u8;
            }
        }
    }
}

/// Lets the font draw on a picture.
struct Canvas<'a>(&'a mut Picture);

impl Dimensions for Canvas<'_> {
    fn bounding_box(&self) -> Rectangle {
        Rectangle::new(Point::zero(), Size::new(self.0.width, self.0.height))
    }
}

impl DrawTarget for Canvas<'_> {
    type Color = Rgb888;
    type Error = std::convert::Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Rgb888>>>(&mut self, pixels: I) -> Result<(), Self::Error> {
        for Pixel(at, color) in pixels {
            if self.bounding_box().contains(at) {
                let i = at.y as usize * self.0.width as usize + at.x as usize;
                self.0.pixels[i] = [color.r(), color.g(), color.b(), 255];
            }
        }
        Ok(())
    }
}
