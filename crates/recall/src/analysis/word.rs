//! One English word brought to the form that is compared.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use rust_stemmers::{Algorithm, Stemmer};

const IRREGULAR: &str = include_str!("../../data/irregular.txt");

/// The stem of one lower-case word: irregular forms and British spellings are unified, then
/// English Snowball; what is not plain ASCII letters stays as it is.
#[must_use]
pub fn stem(word: &str) -> String {
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let base = match base_forms().get(word) {
        Some((base, true)) => return (*base).to_owned(),
        Some((base, false)) => base,
        None => word,
    };
    Stemmer::create(Algorithm::English).stem(&with_z(base)).into_owned()
}

/// Irregular forms with their base, and whether the base is kept unstemmed.
fn base_forms() -> &'static HashMap<&'static str, (&'static str, bool)> {
    static FORMS: OnceLock<HashMap<&str, (&str, bool)>> = OnceLock::new();
    FORMS.get_or_init(|| {
        let mut forms = HashMap::new();
        let mut kept = false;
        for line in IRREGULAR.lines().filter(|line| !line.starts_with('#')) {
            if line == "[kept]" {
                kept = true;
                continue;
            }
            let Some(base) = line.split_whitespace().next() else { continue };
            forms.extend(line.split_whitespace().skip(usize::from(!kept)).map(|form| (form, (base, kept))));
        }
        forms
    })
}

/// `organise`, `serialised`, `normalisation` with z. Words such as `promise` change as well, which
/// does no harm since they change everywhere.
fn with_z(word: &str) -> Cow<'_, str> {
    if !word.contains("is") {
        return word.into();
    }
    for ending in ["ise", "ised", "ises", "iser", "ising", "isation", "isations"] {
        if let Some(root) = word.strip_suffix(ending)
            && root.len() >= 4
        {
            return format!("{root}iz{}", &ending[2..]).into();
        }
    }
    word.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            &["deploy", "deployed", "deploying", "deployment"][..],
            &["write", "wrote", "written", "writing"],
            &["serialise", "serialize", "serialised", "serializing"],
            &["colour", "color"],
            &["migration", "migrate", "migrated"],
            &["important", "importance"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{stems:?}");
        }
        for (one, other) in [("important", "import"), ("production", "product"), ("container", "contain")] {
            assert_ne!(stem(one), stem(other), "{one} {other}");
        }
    }
}
