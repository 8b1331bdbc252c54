//! Files can be read back.

use windfall_preview::encode::{Animation, ApngWriter, GifWriter, animate, jpeg, png};
use windfall_preview::{Picture, PreviewError, contact_sheet};

/// A gradient with a square that moves.
fn frame(step: u32) -> Picture {
    let mut picture = Picture::filled(60, 40, [0, 0, 0, 255]);
    for (i, p) in picture.pixels.iter_mut().enumerate() {
        let (x, y) = (i as u32 % 60, i as u32 / 60);
        let inside = (x.wrapping_sub(step * 5)) < 10 && (10..20).contains(&y);
        *p = if inside { [200, 30, 20, 255] } else { [(x * 4) as u8, 120, (y * 6) as u8, 255] };
    }
    picture
}

fn near(a: &[u8], b: &[u8], slack: u8) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= slack)
}

#[test]
fn png_keeps_every_pixel() {
    let mut clear = frame(0);
    clear.pixels[7] = [10, 20, 30, 40];
    for (picture, channels) in [(frame(1), 3), (clear, 4)] {
        let mut file = Vec::new();
        png(&picture, &mut file).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (60, 40));
        let expected: Vec<u8> = picture.pixels.iter().flat_map(|p| p[..channels].to_vec()).collect();
        assert_eq!(pixels, expected);
    }
}

#[test]
fn jpeg_keeps_size_and_colour() {
    let mut file = Vec::new();
    jpeg(&frame(0), 95, &mut file).unwrap();
    let mut decoder = jpeg_decoder::Decoder::new(file.as_slice());
    let pixels = decoder.decode().unwrap();
    let info = decoder.info().unwrap();
    assert_eq!((info.width, info.height), (60, 40));
    let at = 3 * (30 * 60 + 40);
    assert!(near(&pixels[at..at + 3], &frame(0).at(40, 30)[..3], 12), "{:?}", &pixels[at..at + 3]);
    assert!(jpeg(&frame(0), 0, &mut Vec::new()).is_err());
    assert!(jpeg(&frame(0), 101, &mut Vec::new()).is_err());
}

#[test]
fn gif_shows_every_frame() {
    let mut file = Vec::new();
    let writer = Box::new(GifWriter::new(&mut file, 60, 40, 30.0).unwrap());
    animate::<PreviewError>(writer, (0..7).map(|i| Ok(frame(i)))).unwrap();
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut reader = options.read_info(file.as_slice()).unwrap();
    assert_eq!((reader.width(), reader.height()), (60, 40));
    let mut shown = vec![0u8; 60 * 40 * 4];
    let (mut frames, mut time) = (0, 0);
    while let Some(decoded) = reader.read_next_frame().unwrap() {
        for (old, new) in shown.chunks_mut(4).zip(decoded.buffer.chunks(4)) {
            if new[3] > 0 {
                old.copy_from_slice(new);
            }
        }
        for (x, y) in [(frames * 5 + 5, 15), (50, 30), (3, 38)] {
            let at = 4 * (y * 60 + x) as usize;
            assert!(near(&shown[at..at + 3], &frame(frames).at(x, y)[..3], 14), "frame {frames} at {x}, {y}");
        }
        frames += 1;
        time += decoded.delay;
    }
    assert_eq!((frames, time), (7, 23), "seven frames of a thirtieth of a second");
}

#[test]
fn gif_with_clear_pixels_wipes_what_was_there() {
    let mut file = Vec::new();
    let mut writer = Box::new(GifWriter::new(&mut file, 4, 4, 10.0).unwrap());
    let mut first = Picture::filled(4, 4, [0; 4]);
    first.pixels[0] = [200, 0, 0, 255];
    let mut second = Picture::filled(4, 4, [0; 4]);
    second.pixels[5] = [0, 200, 0, 255];
    writer.add(&first).unwrap();
    writer.add(&second).unwrap();
    writer.finish().unwrap();
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut reader = options.read_info(file.as_slice()).unwrap();
    let one = reader.read_next_frame().unwrap().unwrap();
    assert_eq!(one.dispose, gif::DisposalMethod::Background);
    assert_eq!((one.buffer[3], one.buffer[7]), (255, 0));
    let two = reader.read_next_frame().unwrap().unwrap();
    assert_eq!((two.buffer[3], two.buffer[23]), (0, 255));
}

#[test]
fn a_palette_is_renewed_when_colours_change() {
    let mut file = Vec::new();
    let mut writer = Box::new(GifWriter::new(&mut file, 16, 16, 10.0).unwrap());
    writer.add(&Picture::filled(16, 16, [20, 90, 30, 255])).unwrap();
    writer.add(&Picture::filled(16, 16, [230, 120, 20, 255])).unwrap();
    writer.finish().unwrap();
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut reader = options.read_info(file.as_slice()).unwrap();
    reader.read_next_frame().unwrap();
    let second = reader.read_next_frame().unwrap().unwrap();
    assert!(near(&second.buffer[..3], &[230, 120, 20], 2), "{:?}", &second.buffer[..3]);
}

#[test]
fn apng_has_all_frames() {
    let mut file = Vec::new();
    let writer = Box::new(ApngWriter::new(&mut file, 60, 40, 5, 24.0).unwrap());
    animate::<PreviewError>(writer, (0..5).map(|i| Ok(frame(i)))).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    assert_eq!(reader.info().animation_control.unwrap().num_frames, 5);
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    for i in 0..5 {
        reader.next_frame(&mut pixels).unwrap();
        assert!(pixels == frame(i).pixels.as_flattened(), "frame {i}");
    }
}

#[test]
fn animations_hold_to_what_they_began_with() {
    let mut file = Vec::new();
    let mut writer = ApngWriter::new(&mut file, 60, 40, 2, 24.0).unwrap();
    assert!(matches!(writer.add(&Picture::filled(8, 8, [0; 4])), Err(PreviewError::Size { .. })));
    writer.add(&frame(0)).unwrap();
    assert!(matches!(Box::new(writer).finish(), Err(PreviewError::Frames { expected: 2, given: 1 })));
    assert!(GifWriter::new(&mut Vec::new(), 10, 10, 0.0).is_err());
    assert!(GifWriter::new(&mut Vec::new(), 100_000, 10, 10.0).is_err());
    assert!(ApngWriter::new(&mut Vec::new(), 10, 10, 0, 10.0).is_err());
    let none = Box::new(GifWriter::new(&mut file, 10, 10, 10.0).unwrap());
    assert!(none.finish().is_err());
}

#[test]
fn contact_sheets_hold_all_pictures() {
    let pictures: Vec<Picture> = (0..5).map(frame).collect();
    let sheet = contact_sheet(&pictures, 3, &["oak", "a label that is far too long", "\u{1F333}"]).unwrap();
    assert_eq!(sheet.width, 3 * 68 + 8);
    let red = sheet.pixels.iter().filter(|p| **p == [200, 30, 20, 255]).count();
    assert_eq!(red, 500);
    assert!(contact_sheet(&[], 3, &[]).is_err());
    assert!(contact_sheet(&pictures, 0, &[]).is_err());
    let bare = contact_sheet(&pictures[..1], 9, &[]).unwrap();
    assert_eq!((bare.width, bare.height), (76, 56));
}
