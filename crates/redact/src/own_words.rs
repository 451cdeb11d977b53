//! The person's own words in a prompt: what the host, an editor, another hook or Remora itself put around
//! them is taken out, so that memory never eats what it gave.

/// Beginnings of the names of elements that Remora gives to models itself.
const OWN: &str = "remora-";

/// After this many elements that never end nothing more is searched: the text is not a host's.
const MAX_UNCLOSED: usize = 32;

/// How a host's own words in a prompt are told from the person's: names, and beginnings of names, as plain data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Prompts<'a> {
    /// Elements whose whole content is not the person's.
    pub inserted: &'a [&'a str],
    /// Beginnings of the names of such elements.
    pub inserted_prefixes: &'a [&'a str],
    /// Elements that hold a slash command's name and its arguments.
    pub command: Option<(&'a str, &'a str)>,
    /// What an editor puts before the person's words.
    pub preamble: Option<Preamble<'a>>,
    /// What is attached to the person's words, such as the content of the files that they named.
    pub attachment: Option<Attachment<'a>>,
    /// Prompts that begin like this were written by the host.
    pub synthetic: &'a [&'a str],
    /// The prompt's own sources, of a host that names them, that are people or programs which speak for one.
    pub sources_of_people: &'a [&'a str],
}

/// A text before the person's words, up to a heading of theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preamble<'a> {
    /// What it begins with.
    pub begins: &'a str,
    /// The heading after which the person speaks.
    pub ends: &'a str,
}

/// A text beside the person's words, from one line to another. Whoever named a file did not write what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attachment<'a> {
    /// Its first line.
    pub begins: &'a str,
    /// Its last line. What is attached may have such a line too: the last one counts.
    pub ends: &'a str,
}

impl Prompts<'_> {
    /// Nothing is known of the host's own words.
    pub const PLAIN: Self = Self {
        inserted: &[],
        inserted_prefixes: &[],
        command: None,
        preamble: None,
        attachment: None,
        synthetic: &[],
        sources_of_people: &[],
    };

    /// Whether the host wrote this prompt itself.
    pub fn is_synthetic(&self, prompt: &str, source: Option<&str>) -> bool {
        let start = prompt.trim_start();
        self.synthetic.iter().any(|prefix| start.starts_with(prefix))
            || source.is_some_and(|source| {
                !self.sources_of_people.is_empty() && !self.sources_of_people.contains(&source)
            })
    }

    /// The person's own words, or nothing when there are none. A slash command is given back as it was
    /// typed.
    pub fn own_words(&self, prompt: &str) -> Option<String> {
        let unattached = self.attachment.and_then(|attachment| attachment.taken_out(prompt));
        let prompt = unattached.as_deref().unwrap_or(prompt);
        let mut words = String::with_capacity(prompt.len());
        let mut command = None;
        let mut arguments = None;
        let mut unclosed = 0;
        let mut rest = prompt;
        while let Some(start) = rest.find('<') {
            let (before, from) = rest.split_at(start);
            words.push_str(before);
            let Some(found) = self.element(from, &mut unclosed) else {
                words.push('<');
                rest = &from[1..];
                continue;
            };
            match self.command {
                Some((name, _)) if found.name == name => command = Some(found.content.trim()),
                Some((_, name)) if found.name == name => arguments = Some(found.content.trim()),
                _ => {}
            }
            rest = &from[found.length..];
        }
        words.push_str(rest);
        let typed = command
            .map(|name| format!("/{} {}", name.trim_start_matches('/'), arguments.unwrap_or_default()));
        let said = self.after_preamble(words.trim());
        let words = [typed.as_deref().unwrap_or_default().trim(), said].join("\n");
        let words = words.trim();
        (!words.is_empty()).then(|| words.to_owned())
    }

    fn after_preamble<'t>(&self, words: &'t str) -> &'t str {
        let Some(preamble) = self.preamble.filter(|preamble| words.starts_with(preamble.begins)) else {
            return words;
        };
        words.split_once(preamble.ends).map_or(words, |(_, said)| said.trim())
    }

    fn is_inserted(&self, name: &str) -> bool {
        name.starts_with(OWN)
            || self.inserted.contains(&name)
            || self.inserted_prefixes.iter().any(|prefix| name.starts_with(prefix))
    }

    /// The inserted element that `text` begins with.
    fn element<'t>(&self, text: &'t str, unclosed: &mut usize) -> Option<Element<'t>> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let name = text[1..].split(|c| !is_name(c)).next()?;
        if !self.is_inserted(name) || *unclosed > MAX_UNCLOSED {
            return None;
        }
        let opening = 1 + name.len();
        let content = opening + text[opening..].find('>')? + 1;
        let closing = format!("</{name}>");
        let Some(end) = text[content..].find(&closing) else {
            *unclosed += 1;
            return None;
        };
        Some(Element { name, content: &text[content..content + end], length: content + end + closing.len() })
    }
}

impl Attachment<'_> {
    /// The text without the attachment; nothing: it has none.
    fn taken_out(self, text: &str) -> Option<String> {
        let is_line = |at: usize, line: &str| {
            let before = text[..at].chars().next_back();
            let after = text[at + line.len()..].chars().next();
            before.is_none_or(|c| c == '\n') && after.is_none_or(|c| c == '\n' || c == '\r')
        };
        let (start, _) = text.match_indices(self.begins).find(|(at, line)| is_line(*at, line))?;
        let (last, line) = text.rmatch_indices(self.ends).find(|(at, line)| is_line(*at, line))?;
        (last > start).then(|| format!("{}{}", &text[..start], &text[last + line.len()..]))
    }
}

/// An element that somebody else inserted.
struct Element<'a> {
    name: &'a str,
    content: &'a str,
    length: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROMPTS: Prompts<'static> = Prompts {
        inserted: &["reminder", "command-message"],
        inserted_prefixes: &["ide_"],
        command: Some(("command-name", "command-args")),
        preamble: Some(Preamble { begins: "# From my editor:", ends: "## My request:" }),
        attachment: Some(Attachment { begins: "--- Files ---", ends: "--- End ---" }),
        synthetic: &["<notification>"],
        sources_of_people: &["user"],
    };

    #[test]
    fn only_the_persons_words_are_left() {
        for (prompt, words) in [
            ("say hello", Some("say hello")),
            ("  你好 <b>fett</b> a < b  ", Some("你好 <b>fett</b> a < b")),
            ("<reminder>\nno\n</reminder>\nyes", Some("yes")),
            ("one <ide_selection>lines 1 to 3 of a.rs</ide_selection>two", Some("one two")),
            ("<ide_opened_file path=\"x\">a.rs</ide_opened_file> fix it", Some("fix it")),
            ("<remora-memory>\nold\n</remora-memory>\nwhat now?", Some("what now?")),
            ("<remora-guidance a=\"b\">x</remora-guidance>", None),
            ("# From my editor:\n\na.rs\n\n## My request:\nfix it\n", Some("fix it")),
            ("# From my editor:\n\na.rs\n\n## My request:\n", None),
            ("# From my editor: it is slow", Some("# From my editor: it is slow")),
            ("why\n# From my editor:\n## My request: x", Some("why\n# From my editor:\n## My request: x")),
            ("read @a\n--- Files ---\na:\nplease remember <reminder> x\n--- End ---", Some("read @a")),
            ("read @a\n--- Files ---\na:\n--- End ---\nb\n--- End ---\nnow", Some("read @a\n\nnow")),
            ("why --- Files --- and --- End ---?", Some("why --- Files --- and --- End ---?")),
            ("--- End ---\n--- Files ---", Some("--- End ---\n--- Files ---")),
            ("why does <reminder> appear?", Some("why does <reminder> appear?")),
            ("<reminder", Some("<reminder")),
            ("<", Some("<")),
            ("   ", None),
        ] {
            assert_eq!(PROMPTS.own_words(prompt).as_deref(), words, "{prompt}");
        }
    }

    #[test]
    fn a_host_that_names_no_sources_has_no_synthetic_ones() {
        assert!(PROMPTS.is_synthetic(" <notification>x", None));
        assert!(PROMPTS.is_synthetic("hello", Some("wakeup")));
        assert!(!PROMPTS.is_synthetic("hello", Some("user")));
        assert!(!Prompts::PLAIN.is_synthetic("hello", Some("wakeup")));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic_or_grow(prompt in "(<|/|>|a|é|ide_x|reminder|command-name|中| |\n|--- Files ---|--- End ---){0,60}") {
            if let Some(words) = PROMPTS.own_words(&prompt) {
                proptest::prop_assert!(words.len() <= prompt.len());
            }
        }
    }
}
