//! `OpenEXR` files of numbers: one part, scan lines from the top down, compressed without loss (ZIP).
//!
//! Rows are requested while writing, so that the whole image is never in memory.

use std::io::{self, Seek, Write};

use exr::block::writer::ChunksWriter;
use exr::block::{BlockIndex, UncompressedBlock, enumerate_ordered_header_block_indices};
use exr::compression::Compression;
use exr::error::Error;
use exr::meta::BlockDescription;
use exr::meta::attribute::{ChannelDescription, LineOrder, SampleType};
use exr::meta::header::Header;
use exr::prelude::f16;
use rayon::prelude::*;

/// How a number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Samples {
    /// 16 bits, 11 of them significant.
    Half,
    /// 32 bits.
    Float,
}

/// Channels in the order of the input.
const NAMES: [&str; 4] = ["R", "G", "B", "A"];

/// Number of blocks of sixteen rows compressed at a time. Fixed, so that the file does not depend on the
/// number of threads.
const BATCH: usize = 8;

/// A number rounded to 16 bits.
pub(crate) fn half(number: f32) -> f32 {
    f16::from_f32(number).to_f32()
}

/// The number with these 16 bits.
pub(crate) fn of_half_bits(bits: u16) -> f32 {
    f16::from_bits(bits).to_f32()
}

/// Writes an image of `C` channels (red, green, blue, alpha). `fill` receives a row index, counted from
/// the top, and the buffer of the row.
pub(crate) fn write<const C: usize>(
    out: impl Write + Seek,
    [width, height]: [usize; 2],
    samples: Samples,
    mut fill: impl FnMut(usize, &mut [[f32; C]]) -> io::Result<()>,
) -> io::Result<()> {
    let kind = match samples {
        Samples::Half => SampleType::F16,
        Samples::Float => SampleType::F32,
    };
    // Files store channels in alphabetical order.
    let mut order: Vec<usize> = (0..C).collect();
    order.sort_unstable_by_key(|&channel| NAMES[channel]);
    let channels = order.iter().map(|&c| ChannelDescription::new(NAMES[c], kind, true)).collect();
    let header = Header::new("".into(), (width, height), channels).with_encoding(
        Compression::ZIP16,
        BlockDescription::ScanLines,
        LineOrder::Increasing,
    );
    let mut row = vec![[0.0; C]; width];
    exr::block::write(out, [header].into_iter().collect(), true, |meta, file| {
        let blocks: Vec<(usize, BlockIndex)> = enumerate_ordered_header_block_indices(&meta.headers).collect();
        for batch in blocks.chunks(BATCH) {
            let mut filled = Vec::with_capacity(BATCH);
            for &(place, index) in batch {
                let mut data = Vec::with_capacity(index.pixel_size.area() * C * kind.bytes_per_sample());
                for y in index.pixel_position.y()..index.pixel_position.y() + index.pixel_size.height() {
                    fill(y, &mut row)?;
                    for &channel in &order {
                        for pixel in &row {
                            match samples {
                                Samples::Half => data.extend(f16::from_f32(pixel[channel]).to_ne_bytes()),
                                Samples::Float => data.extend(pixel[channel].to_ne_bytes()),
                            }
                        }
                    }
                }
                filled.push((place, UncompressedBlock { index, data }));
            }
            let compress =
                |(place, block): (usize, UncompressedBlock)| Ok((place, block.compress_to_chunk(&meta.headers)?));
            let chunks: Vec<_> = filled.into_par_iter().map(compress).collect::<exr::error::Result<_>>()?;
            chunks.into_iter().try_for_each(|(place, chunk)| file.write_chunk(place, chunk))?;
        }
        Ok(())
    })
    .map_err(|error| match error {
        Error::Io(error) => error,
        other => io::Error::other(other),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use exr::prelude::*;

    #[test]
    fn rows_and_channels_come_back_where_they_were() {
        for (samples, [width, height]) in [(super::Samples::Half, [5, 300]), (super::Samples::Float, [64, 1])] {
            let value = |x: usize, y: usize, c: usize| (x + 7 * y) as f32 + 0.25 * c as f32;
            let mut file = Cursor::new(Vec::new());
            super::write::<4>(&mut file, [width, height], samples, |y, row| {
                for (x, pixel) in row.iter_mut().enumerate() {
                    *pixel = std::array::from_fn(|c| value(x, y, c));
                }
                Ok(())
            })
            .unwrap();
            file.set_position(0);
            let found = read().no_deep_data().largest_resolution_level().rgba_channels(
                |size, _| vec![vec![[0.0_f32; 4]; size.width()]; size.height()],
                |image, at, (r, g, b, a): (f32, f32, f32, f32)| image[at.y()][at.x()] = [r, g, b, a],
            );
            let image = found.first_valid_layer().all_attributes().from_buffered(file).unwrap();
            let rows = image.layer_data.channel_data.pixels;
            assert_eq!((rows.len(), rows[0].len()), (height, width));
            for (y, row) in rows.iter().enumerate() {
                for (x, pixel) in row.iter().enumerate() {
                    let expected: [f32; 4] = std::array::from_fn(|c| match samples {
                        super::Samples::Half => super::half(value(x, y, c)),
                        super::Samples::Float => value(x, y, c),
                    });
                    assert_eq!(*pixel, expected, "{x} {y}");
                }
            }
        }
    }

    #[test]
    fn an_error_of_a_row_is_the_error_of_the_file() {
        let fill = |_: usize, _: &mut [[f32; 3]]| Err(std::io::Error::other("no row"));
        let error = super::write(Cursor::new(Vec::new()), [4, 4], super::Samples::Half, fill).unwrap_err();
        assert_eq!(error.to_string(), "no row");
    }
}
