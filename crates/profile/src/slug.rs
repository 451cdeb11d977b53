//! How a host makes the name of a folder from the path of a project.

use serde::{Deserialize, Serialize};

/// Names longer than this are cut and get a hash.
const MAX_DASHES: usize = 200;

/// A rule that makes a folder's name from an absolute path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlugRule {
    /// Every UTF-16 unit but ASCII letters and digits becomes `-`; over 200 units the first 200, `-`, and
    /// a hash of the path in base 36.
    Dashes,
    /// A rule that this version does not know: such a folder is not looked for.
    #[default]
    #[serde(other)]
    Unknown,
}

impl SlugRule {
    /// The folder's name for a project at `path`, an absolute real path.
    pub fn slug(self, path: &str) -> Option<String> {
        match self {
            Self::Dashes => {
                Some(dashes(path.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(path)))
            }
            Self::Unknown => None,
        }
    }
}

fn dashes(path: &str) -> String {
    let kept = |unit: u16| u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric).map_or('-', char::from);
    let slug: String = path.encode_utf16().map(kept).collect();
    if slug.len() <= MAX_DASHES {
        return slug;
    }
    format!("{}-{}", &slug[..MAX_DASHES], base36(hash(path).unsigned_abs()))
}

/// The 32 bit hash that much JavaScript uses for texts: 31 times the last, plus the next UTF-16 unit.
fn hash(path: &str) -> i32 {
    path.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_character_becomes_a_dash() {
        for (path, slug) in [
            ("/home/dev/proj", "-home-dev-proj"),
            ("/home/dev/proj/", "-home-dev-proj"),
            ("/srv/a.b_c d", "-srv-a-b-c-d"),
            ("/数据/é", "-----"),
            ("/😀", "---"),
            ("/", "-"),
        ] {
            assert_eq!(SlugRule::Dashes.slug(path).as_deref(), Some(slug), "{path}");
        }
    }

    #[test]
    fn a_long_path_is_cut_and_hashed() {
        let path = format!("/{}", "a".repeat(300));
        let slug = SlugRule::Dashes.slug(&path).expect("a slug");
        let (head, hash) = slug.rsplit_once('-').expect("a hash");
        assert_eq!(head, format!("-{}", "a".repeat(199)));
        assert!(!hash.is_empty() && hash.chars().all(|c| c.is_ascii_digit() || c.is_ascii_lowercase()));
        assert_ne!(SlugRule::Dashes.slug(&format!("{path}b")), Some(slug));
    }

    #[test]
    fn the_hash_is_the_one_of_java_strings() {
        // Known values of `String.hashCode`.
        assert_eq!(hash("hello"), 99_162_322);
        assert_eq!(hash("polygenelubricants"), i32::MIN);
        assert_eq!(base36(99_162_322), "1n1e4y");
        assert_eq!(base36(0), "0");
    }

    #[test]
    fn an_unknown_rule_finds_nothing() {
        assert_eq!(SlugRule::Unknown.slug("/x"), None);
    }
}
