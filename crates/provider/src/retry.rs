//! When and how soon a call is tried again.

use std::time::Duration;

/// So many tries in all.
pub(crate) const TRIES: u32 = 3;
/// The pause before the second try; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(400);
/// No pause is longer, whatever a provider asks for.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Whether another try may go better.
pub(crate) fn may_help(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 500 | 502 | 503 | 504 | 529)
}

/// How long to wait before try number `next` (the second is 2): what the provider asks for, else longer each time,
/// spread by `spread` (0 to 255) so that many callers do not come back at once. Nothing where the provider asks for
/// more patience than a caller has.
pub(crate) fn pause_before(next: u32, asked: Option<Duration>, spread: u8) -> Option<Duration> {
    if let Some(asked) = asked {
        return (asked <= LONGEST_PAUSE).then_some(asked);
    }
    let base = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(next.saturating_sub(2))).min(LONGEST_PAUSE);
    Some(base + base.mul_f32(f32::from(spread) / 512.0))
}

/// The seconds of a `retry-after` header; dates are not read.
pub(crate) fn asked_for(header: &str) -> Option<Duration> {
    header.trim().parse::<f32>().ok().and_then(|seconds| Duration::try_from_secs_f32(seconds).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_never_exceed_what_a_caller_has() {
        let millis = |next, asked, spread| pause_before(next, asked, spread).map(|pause| pause.as_millis());
        assert_eq!([2, 3, 4].map(|next| millis(next, None, 0)), [Some(400), Some(800), Some(1600)]);
        assert_eq!(millis(2, None, 255), Some(599));
        assert_eq!(millis(2, Some(Duration::from_secs(2)), 255), Some(2000));
        assert_eq!(millis(2, Some(Duration::from_secs(60)), 0), None);
        assert_eq!(asked_for(" 1.5 "), Some(Duration::from_millis(1500)));
        for header in ["soon", "-1", "inf", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            assert_eq!(asked_for(header), None, "{header}");
        }
    }
}
