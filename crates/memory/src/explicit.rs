//! What a person asks to be remembered in a prompt of their own: "remember that ...", "from now on ...",
//! 记住……, 以后都……
//!
//! Deterministic, so that the wish is not lost while a model works on something else. Only text that the person
//! typed counts: not what stands in code, in quotes, or in a pasted block. Better one wish missed than a sentence
//! saved that was none: people can always say it with `remora remember`.

use crate::sentence::is_abbreviation;

/// A block of more lines than this was pasted, not typed.
const PASTED_LINES: usize = 20;

/// A longer wish is a document.
const LONGEST: usize = 2_000;

/// Openings after which the rest of the sentence is what to remember. Lower case.
const OPENINGS: &[&str] = &[
    "remember that ",
    "remember this: ",
    "remember this:",
    "remember: ",
    "remember:",
    "remember, ",
    "remember to ",
    "remember not to ",
    "remember never to ",
    "remember always to ",
    "remember we ",
    "remember i ",
    "remember our ",
    "remember my ",
    "keep in mind that ",
    "keep in mind: ",
    "bear in mind that ",
    "make a note that ",
    "make a note: ",
    "note for the future: ",
    "save to memory: ",
    "save to memory that ",
    "add to memory: ",
    "add to your memory: ",
    "add to your memory that ",
    "don't forget that ",
    "do not forget that ",
    "for future reference: ",
    "for future reference, ",
    "记住：",
    "记住:",
    "记住，",
    "记住,",
    "记住",
    "記住：",
    "記住:",
    "記住，",
    "記住,",
    "記住",
    "記一下：",
    "記下來：",
    "記下：",
    "別忘了：",
    "別忘了，",
    "记一下：",
    "记一下:",
    "记一下，",
    "记下来：",
    "记下：",
    "别忘了：",
    "别忘了，",
    "覚えておいて：",
    "覚えておいて、",
    "覚えておいて:",
    "記憶して：",
    "기억해: ",
    "기억해:",
    "기억해줘: ",
    "기억해 줘: ",
];

/// Openings that belong to what they say: the whole sentence is what to remember. Lower case.
const RULES: &[&str] = &[
    "from now on, ",
    "from now on ",
    "going forward, ",
    "in the future, always ",
    "in the future, never ",
    "in future, always ",
    "in future, never ",
    "以后都",
    "以後都",
    "以後請",
    "以後不要",
    "以後必須",
    "以後一律",
    "從現在起",
    "從現在開始",
    "以后请",
    "以后不要",
    "以后必须",
    "以后一律",
    "从现在起",
    "从现在开始",
    "今后",
    "これからは",
    "今後は",
    "앞으로는 ",
    "앞으로 항상 ",
];

/// Endings before which the sentence is what to remember.
const ENDINGS: &[&str] = &[
    "と覚えておいて",
    "ことを覚えておいて",
    "を覚えておいて",
    "覚えておいてください",
    "기억해 줘",
    "기억해줘",
    "기억해 주세요",
];

/// What may stand before an opening.
const POLITE: &[&str] = &[
    "please ",
    "pls ",
    "and ",
    "also ",
    "also, ",
    "oh and ",
    "ok, ",
    "okay, ",
    "ok ",
    "hey, ",
    "btw, ",
    "btw ",
    "by the way, ",
    "always ",
    "one more thing: ",
    "can you ",
    "could you ",
    "could you please ",
    "can you please ",
    "请你",
    "请",
    "請你",
    "請",
    "麻烦",
    "帮我",
    "另外，",
    "另外,",
    "还有，",
    "对了，",
];

/// Beginnings of a sentence that gives the reason for the one before.
const REASONS: &[&str] = &[
    "because ",
    "the reason ",
    "otherwise ",
    "otherwise,",
    "this is because ",
    "that is because ",
    "that's because ",
    "why: ",
    "**why:**",
    "so that ",
    "因为",
    "否则",
    "原因是",
    "不然",
    "なぜなら",
    "왜냐하면 ",
];

/// Words that follow an opening when nothing is asked for.
const NO_WISH: &[&str] =
    &["when ", "how ", "what ", "where ", "who ", "the time ", "了吗", "了没", "没有", "不", "没", "了"];

/// What the person asks to be remembered, one text a wish, as they typed it.
pub fn wishes(prompt: &str) -> Vec<String> {
    let typed = typed_text(prompt);
    let mut wishes: Vec<String> = Vec::new();
    for paragraph in typed.split("\n\n") {
        let sentences = sentences(paragraph);
        let mut open = false;
        for (at, sentence) in sentences.iter().enumerate() {
            if open && starts_with_any(&sentence.to_lowercase(), REASONS).is_some() {
                if let Some(last) = wishes.last_mut() {
                    last.push(' ');
                    last.push_str(sentence);
                }
                continue;
            }
            open = false;
            let rest =
                if ends_with_colon(sentence) { sentences[at..].join("\n") } else { (*sentence).to_owned() };
            if let Some(wish) = wish(&rest) {
                wishes.push(wish);
                open = true;
                if ends_with_colon(sentence) {
                    break;
                }
            }
        }
    }
    wishes.retain(|wish| wish.chars().count() <= LONGEST);
    wishes
}

/// The wish of one sentence, if it is one.
fn wish(sentence: &str) -> Option<String> {
    let sentence = sentence.trim();
    if sentence.ends_with(['?', '\u{ff1f}']) || sentence.ends_with('吗') {
        return None;
    }
    let mut rest = sentence;
    loop {
        let lower = rest.to_lowercase();
        let Some(length) = starts_with_any(&lower, POLITE) else { break };
        // "always" is politeness only before another opening.
        let after = rest.get(length..)?;
        if starts_with_any(&after.to_lowercase(), OPENINGS).is_none()
            && starts_with_any(&after.to_lowercase(), RULES).is_none()
            && starts_with_any(&after.to_lowercase(), POLITE).is_none()
        {
            break;
        }
        rest = after;
    }
    let lower = rest.to_lowercase();
    // Lower-casing that changes lengths would make the positions meaningless.
    if lower.len() != rest.len() {
        return None;
    }
    let text = if let Some(length) = starts_with_any(&lower, OPENINGS) {
        let opening = &lower[..length];
        let after = rest.get(length..)?.trim_start();
        if starts_with_any(&after.to_lowercase(), NO_WISH).is_some() {
            return None;
        }
        kept_words(opening, after)
    } else if starts_with_any(&lower, RULES).is_some() {
        rest.to_owned()
    } else {
        let bare = rest.trim_end_matches(['。', '.', '!', '！', '\u{ff0e}']);
        let ending =
            ENDINGS.iter().filter(|ending| bare.ends_with(**ending)).max_by_key(|ending| ending.len())?;
        bare[..bare.len() - ending.len()]
            .trim_end_matches(['、', ',', ' ', '은', '는', '을', '를'])
            .to_owned()
    };
    let text = text.trim().trim_matches(['"', '“', '”', '「', '」']).trim();
    (text.chars().filter(|c| c.is_alphanumeric()).count() >= 4).then(|| text.to_owned())
}

/// What an opening leaves of itself: "remember not to push" is "not to push", "remember we use pnpm" is
/// "we use pnpm".
fn kept_words(opening: &str, after: &str) -> String {
    let kept = match opening.trim() {
        "remember not to" => "Do not ",
        "remember never to" => "Never ",
        "remember always to" => "Always ",
        "remember we" => "We ",
        "remember i" => "I ",
        "remember our" => "Our ",
        "remember my" => "My ",
        _ => "",
    };
    format!("{kept}{after}")
}

fn starts_with_any(lower: &str, beginnings: &[&str]) -> Option<usize> {
    beginnings
        .iter()
        .filter(|beginning| lower.starts_with(**beginning))
        .map(|beginning| beginning.len())
        .max()
}

fn ends_with_colon(sentence: &str) -> bool {
    sentence.trim_end().ends_with([':', '\u{ff1a}'])
}

/// The prompt without code, quotations and pasted blocks.
fn typed_text(prompt: &str) -> String {
    let mut typed = String::new();
    let mut fenced = false;
    for line in prompt.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
            typed.push('\n');
            continue;
        }
        let is_code = line.starts_with("    ") || line.starts_with('\t');
        if fenced || trimmed.starts_with('>') || is_code {
            typed.push('\n');
            continue;
        }
        typed.push_str(line);
        typed.push('\n');
    }
    let is_typed =
        |paragraph: &&str| paragraph.lines().filter(|line| !line.trim().is_empty()).count() <= PASTED_LINES;
    typed.split("\n\n").filter(is_typed).collect::<Vec<_>>().join("\n\n")
}

/// The sentences of a paragraph; a line break ends one, a full stop inside a word or a number does not.
fn sentences(paragraph: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    for line in paragraph.lines() {
        let mut start = 0;
        for (at, character) in line.char_indices() {
            let end = at + character.len_utf8();
            let after = line[end..].chars().next();
            let stops = match character {
                '.' | '!' | '?' => {
                    after.is_none_or(char::is_whitespace) && !is_abbreviation(&line[start..end])
                }
                '。' | '！' | '？' => true,
                _ => false,
            };
            if stops {
                sentences.push(line[start..end].trim());
                start = end;
            }
        }
        sentences.push(line[start..].trim());
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_found_in_four_languages() {
        let cases: &[(&str, &[&str])] = &[
            ("remember that we use pnpm, never npm", &["we use pnpm, never npm"]),
            ("Fix the build. Remember that we use pnpm, never npm. Then push.", &["we use pnpm, never npm."]),
            ("Please remember: deploys go out on Tuesdays", &["deploys go out on Tuesdays"]),
            ("Remember not to push to main directly", &["Do not push to main directly"]),
            ("remember we deploy on Tuesdays", &["We deploy on Tuesdays"]),
            (
                "From now on, always run the linter before you commit.",
                &["From now on, always run the linter before you commit."],
            ),
            (
                "remember that we use pnpm. Because the lock file is pnpm's. Now fix the bug.",
                &["we use pnpm. Because the lock file is pnpm's."],
            ),
            ("remember:\n- use pnpm\n- never npm\n\nand fix the test", &["- use pnpm\n- never npm"]),
            ("记住：我们用 pnpm，不用 npm", &["我们用 pnpm，不用 npm"]),
            ("請記住：我們用 pnpm，不用 npm", &["我們用 pnpm，不用 npm"]),
            ("请记住测试必须连真实数据库。然后修一下登录的 bug。", &["测试必须连真实数据库。"]),
            ("以后都用中文写提交信息", &["以后都用中文写提交信息"]),
            ("今後はコミットメッセージを英語で書いて", &["今後はコミットメッセージを英語で書いて"]),
            ("デプロイは火曜日だけだと覚えておいて", &["デプロイは火曜日だけだ"]),
            ("앞으로는 커밋 메시지를 영어로 써 줘", &["앞으로는 커밋 메시지를 영어로 써 줘"]),
        ];
        for (prompt, expected) in cases {
            assert_eq!(&wishes(prompt), expected, "{prompt}");
        }
    }

    #[test]
    fn what_is_no_wish_of_the_person_s_is_left_alone() {
        let innocent = [
            "do you remember that we use pnpm?",
            "Remember when we broke the build?",
            "I can't remember that the port was 8080",
            "The user said \"remember that x\" in the log",
            "```\nremember that we use pnpm\n```",
            "> remember that we use pnpm",
            "    remember that we use pnpm",
            "write a function remember(that: string)",
            "add a 'remember me' checkbox to the login form",
            "fix the bug in remember_token",
            "你还记得端口吗？",
            "记住了吗",
            "記住了嗎",
            "记不住端口怎么办",
            "remember that?",
            "remember: ok",
            "what happens from now on depends on the flag",
        ];
        for prompt in innocent {
            assert_eq!(wishes(prompt), Vec::<String>::new(), "{prompt}");
        }
        let pasted = "a line\n".repeat(30) + "remember that we use pnpm\n";
        assert_eq!(wishes(&pasted), Vec::<String>::new());
    }

    proptest::proptest! {
        #[test]
        fn no_prompt_makes_it_panic(prompt: String) {
            for wish in wishes(&prompt) {
                proptest::prop_assert!(wish.chars().count() <= LONGEST);
            }
        }

        #[test]
        fn mixed_cues_do_not_either(parts in proptest::collection::vec("(remember that |记住|İ|以后都|please |。|\\.|\n|:|a|ß|覚えておいて)", 0..12)) {
            let _ = wishes(&parts.concat());
        }
    }
}
