//! Where a moment is on a time line whose pauses are shortened, so that a night does not take more room than the work.

/// A span of time in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TimeRange {
    pub(super) from: f64,
    pub(super) to: f64,
}

/// A part of the time line, in which time passes evenly.
#[derive(Clone, Copy, Debug)]
struct Piece {
    time: TimeRange,
    place: TimeRange,
    is_pause: bool,
}

/// A time line of this width.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    pieces: Vec<Piece>,
}

/// Which share of all the work a pause takes at most.
const PAUSE: f64 = 0.04;

impl Scale {
    /// The time line of these spans, from 0 to `width`.
    pub(super) fn of(mut spans: Vec<TimeRange>, width: f64) -> Self {
        spans.sort_by(|one, other| one.from.total_cmp(&other.from));
        let mut busy: Vec<TimeRange> = Vec::new();
        for span in spans {
            match busy.last_mut() {
                Some(last) if span.from <= last.to => last.to = last.to.max(span.to),
                _ => busy.push(span),
            }
        }
        let work: f64 = busy.iter().map(|span| span.to - span.from).sum::<f64>().max(1.0);
        let longest = (work * PAUSE).max(1.0);
        let mut lengths: Vec<(TimeRange, f64, bool)> = Vec::new();
        for (place, span) in busy.iter().enumerate() {
            if let Some(before) = place.checked_sub(1).map(|before| busy[before]) {
                let pause = TimeRange { from: before.to, to: span.from };
                let length = pause.to - pause.from;
                lengths.push((pause, length.min(longest), length > longest));
            }
            lengths.push((*span, (span.to - span.from).max(work / 400.0), false));
        }
        let all: f64 = lengths.iter().map(|(_, length, _)| length).sum::<f64>().max(f64::MIN_POSITIVE);
        let mut at = 0.0;
        let mut pieces = Vec::new();
        for (time, length, is_pause) in lengths {
            let to = at + length / all * width;
            pieces.push(Piece { time, place: TimeRange { from: at, to }, is_pause });
            at = to;
        }
        Self { pieces }
    }

    /// The place of a moment.
    pub(super) fn place(&self, moment: f64) -> f64 {
        let at = self.pieces.partition_point(|piece| piece.time.to < moment);
        let Some(Piece { time, place, .. }) = self.pieces.get(at).or(self.pieces.last()) else { return 0.0 };
        let share = (moment - time.from) / (time.to - time.from).max(f64::MIN_POSITIVE);
        place.from + share.clamp(0.0, 1.0) * (place.to - place.from)
    }

    /// The moment at a place.
    pub(super) fn moment(&self, at: f64) -> f64 {
        let found = self.pieces.iter().find(|piece| piece.place.to >= at).or(self.pieces.last());
        let Some(Piece { time, place, .. }) = found else { return 0.0 };
        let share = (at - place.from) / (place.to - place.from).max(f64::MIN_POSITIVE);
        time.from + share.clamp(0.0, 1.0) * (time.to - time.from)
    }

    /// The places of the pauses that are shortened.
    pub(super) fn pauses(&self) -> impl Iterator<Item = f64> {
        let pauses = self.pieces.iter().filter(|piece| piece.is_pause);
        pauses.map(|piece| f64::midpoint(piece.place.from, piece.place.to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_night_takes_little_room_and_the_order_is_kept() {
        let span = |from: f64, to: f64| TimeRange { from, to };
        let scale = Scale::of(vec![span(100.0, 200.0), span(0.0, 50.0), span(50_000.0, 50_100.0)], 1000.0);
        let places: Vec<f64> =
            [0.0, 50.0, 100.0, 200.0, 50_000.0, 50_100.0].iter().map(|moment| scale.place(*moment)).collect();
        assert!(places.is_sorted(), "{places:?}");
        assert!(places[0] == 0.0 && (places[5] - 1000.0).abs() < 1e-6, "{places:?}");
        assert!(places[4] - places[3] < 60.0, "the pause is short: {places:?}");
        assert!((scale.moment(scale.place(150.0)) - 150.0).abs() < 1e-6);
        assert_eq!(scale.pauses().count(), 2);
        assert_eq!(Scale::of(Vec::new(), 10.0).place(5.0), 0.0);
    }
}
