//! Characters that show nothing, or what a private agreement says.

/// Whether Unicode ignores the character by default, formats with it, or gives it no public meaning.
///
/// From the properties `Default_Ignorable_Code_Point` and `Bidi_Control`, the general categories `Co` and
/// `Cn` as far as they are noncharacters, and the interlinear and hieroglyph format controls of `Cf`. The
/// visible signs in `Cf` (Arabic number signs and the like) stay.
pub(super) fn is_invisible(char: char) -> bool {
    matches!(char,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{13430}'..='\u{1345f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{10ffff}')
        || u32::from(char) & 0xfffe == 0xfffe
}

/// Whether an invisible character has work to do between what was `kept` so far and what comes `after`: a
/// joiner between two pictures, or one selector (text or emoji style) behind one.
pub(super) fn belongs_to_emoji(char: char, kept: &str, after: &str) -> bool {
    let Some(last) = kept.chars().next_back() else { return false };
    let next = after.chars().next();
    match char {
        '\u{200d}' => (is_picture(last) || last == '\u{fe0f}') && next.is_some_and(is_picture),
        '\u{fe0e}' | '\u{fe0f}' => {
            is_picture(last) || (matches!(last, '0'..='9' | '#' | '*') && next == Some('\u{20e3}'))
        }
        _ => false,
    }
}

/// Roughly `Extended_Pictographic`, with the skin tones.
fn is_picture(char: char) -> bool {
    matches!(char,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2194}'..='\u{21aa}'
        | '\u{231a}'..='\u{23ff}' | '\u{24c2}' | '\u{25aa}'..='\u{27bf}' | '\u{2934}'..='\u{2935}'
        | '\u{2b05}'..='\u{2b55}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1faff}')
}
