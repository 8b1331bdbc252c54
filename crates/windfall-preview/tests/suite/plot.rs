//! Plots have correct positions, accept any numbers and are well-formed.

use windfall_preview::plot::panels;
use windfall_preview::{Plot, Series};

fn series(name: &str, points: &[(f64, f64)]) -> Series {
    Series { name: name.into(), points: points.to_vec() }
}

fn plot(series: Vec<Series>, log_y: bool) -> Plot {
    Plot { title: "title".into(), x_label: "x".into(), y_label: "y".into(), series, log_y }
}

/// The corners of all curves of this colour (legend included), one list for each run without a gap.
fn runs(svg: &str, color: &str) -> Vec<Vec<(f64, f64)>> {
    let mut runs = Vec::new();
    for line in svg.lines().filter(|l| l.contains("<path") && l.contains(&format!(r#"stroke="{color}""#))) {
        let d = line.split('"').nth(1).unwrap();
        for run in d.split('M').skip(1) {
            let numbers = |p: &str| {
                let (x, y) = p.split_once(' ').unwrap();
                (x.parse().unwrap(), y.split('h').next().unwrap().parse().unwrap())
            };
            runs.push(run.split('L').map(numbers).collect());
        }
    }
    runs
}

/// Position of a tick's label.
fn tick(svg: &str, label: &str) -> (f64, f64) {
    let line = svg.lines().find(|l| l.ends_with(&format!(">{label}</text>"))).unwrap_or_else(|| panic!("no {label}"));
    let part = |i: usize| line.split('"').nth(i).unwrap().parse().unwrap();
    (part(1), part(3))
}

#[test]
fn points_stand_beside_their_ticks() {
    let svg = plot(vec![series("", &[(10.0, -1.0), (20.0, 0.5), (30.0, 2.0)])], false).to_svg();
    let run = &runs(&svg, "#0072b2")[0];
    // Labels of y are four pixels below their line.
    assert!((run[0].0 - tick(&svg, "10").0).abs() < 0.2);
    assert!((run[2].0 - tick(&svg, "30").0).abs() < 0.2);
    assert!((run[0].1 - (tick(&svg, "-1.0").1 - 4.0)).abs() < 0.2);
    assert!((run[2].1 - (tick(&svg, "2.0").1 - 4.0)).abs() < 0.2);
    // The midpoint of a straight line is at the centre.
    assert!((run[1].0 - 0.5 * (run[0].0 + run[2].0)).abs() < 0.11);
    assert!((run[1].1 - 0.5 * (run[0].1 + run[2].1)).abs() < 0.11);
    assert!(run[2].1 < run[0].1, "larger values are higher");
}

#[test]
fn a_log_axis_makes_powers_even() {
    let svg = plot(vec![series("", &[(0.0, 1e-3), (1.0, 1.0), (2.0, 1e3), (3.0, 0.0), (4.0, -5.0), (5.0, 1.0)])], true);
    let svg = svg.to_svg();
    let runs = runs(&svg, "#0072b2");
    assert_eq!(runs.iter().map(Vec::len).collect::<Vec<_>>(), [3, 1], "values that are not positive are gaps");
    let y: Vec<f64> = runs[0].iter().map(|p| p.1).collect();
    assert!((y[0] - 2.0 * y[1] + y[2]).abs() < 0.21, "{y:?}");
    for (label, y) in [("1e-3", y[0]), ("1e0", y[1]), ("1e3", y[2])] {
        assert!((tick(&svg, label).1 - 4.0 - y).abs() < 0.2);
    }
}

#[test]
fn what_is_no_number_is_a_gap() {
    let points = [(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 1.0), (f64::INFINITY, 1.0), (5.0, 0.0), (6.0, 0.5)];
    let svg = plot(vec![series("", &points)], false).to_svg();
    assert_eq!(runs(&svg, "#0072b2").iter().map(Vec::len).collect::<Vec<_>>(), [2, 1, 2]);
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn any_numbers_make_a_plot() {
    let all = [0.0, -0.0, 1.0, -1.0, 1e-310, 1e99, -1e99, f64::MAX, f64::NAN, f64::INFINITY, 1e9, 1e9 + 1e-6, 1e-12];
    for log_y in [false, true] {
        assert!(Plot { log_y, ..Plot::default() }.to_svg().ends_with("</svg>\n"));
        assert!(plot(vec![series("empty", &[])], log_y).to_svg().contains("empty"));
        for a in all {
            for b in all {
                let svg = plot(vec![series("s", &[(a, b), (b, a), (b, b)])], log_y).to_svg();
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{a} {b}: {svg}");
                assert!(svg.matches("<text").count() < 40, "{a} {b}: {svg}");
                for (x, y) in runs(&svg, "#0072b2").concat() {
                    assert!((0.0..=560.0).contains(&x) && (0.0..=360.0).contains(&y), "{a} {b}: {x} {y}");
                }
            }
        }
    }
}

#[test]
fn text_is_escaped() {
    let mut plot = plot(vec![series("a<b> & \"c\"\n\u{0}", &[(0.0, 0.0)])], false);
    plot.title = "</svg><script>".into();
    let svg = plot.to_svg();
    assert!(svg.contains("a&lt;b&gt; &amp; \"c\"\u{fffd}\u{fffd}<"));
    assert!(svg.contains("&lt;/svg&gt;&lt;script&gt;") && !svg.contains("<script"));
}

#[test]
fn panels_stand_side_by_side() {
    let one = plot(vec![series("first", &[(0.0, 0.0), (1.0, 1.0)])], false);
    let svg = panels(&[one.clone(), one.clone(), one], 2);
    let curves: Vec<_> = runs(&svg, "#0072b2").into_iter().filter(|run| run.len() == 2).collect();
    assert_eq!(curves.len(), 3);
    assert!((curves[1][0].0 - curves[0][0].0 - 560.0).abs() < 0.2);
    assert_eq!(curves[1][0].1, curves[0][0].1);
    assert_eq!(curves[2][0].0, curves[0][0].0);
    assert!(curves[2][0].1 > curves[0][0].1);
    assert!(panels(&[], 3).ends_with("</svg>\n"));
}
