//! An event made safe before it leaves the process: secrets out, pictures out, long texts cut.

use remora_event::Event;
use remora_redact::{Limits, clean_text, clean_value};

/// Cleans every text of the event that came from outside. Ids and paths stay: they are looked up.
pub(crate) fn clean(event: &mut Event) {
    let limits = Limits::default();
    for text in [&mut event.prompt, &mut event.message, &mut event.memory_query].into_iter().flatten() {
        clean_in_place(text, limits);
    }
    if let Some(tool) = &mut event.tool {
        clean_value(&mut tool.input, limits);
        if let Some(output) = &mut tool.output {
            clean_value(output, limits);
        }
        if let Some(error) = &mut tool.error {
            clean_in_place(error, limits);
        }
    }
    for value in event.extra.values_mut() {
        clean_value(value, limits);
    }
}

fn clean_in_place(text: &mut String, limits: Limits) {
    if let std::borrow::Cow::Owned(cleaned) = clean_text(text, limits) {
        *text = cleaned;
    }
}
