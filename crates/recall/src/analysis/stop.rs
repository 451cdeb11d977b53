//! Words that carry no subject: dropped from English, cut points in CJK text.

use std::collections::HashSet;
use std::sync::OnceLock;

const ENGLISH: &str = "a about above after again all also am an and any are arent as at be because been before \
    being below between both but by can cannot cant could couldnt did didnt do does doesnt doing dont down during \
    each either else ever few for from further get gets getting go goes going gonna got had has hasnt have havent \
    having he her here hers herself him himself his how i id ill im if in into is isnt it its itself ive just let \
    lets like me might more most much must my myself no nor not now of off ok okay on once one only or other our \
    ours ourselves out over own per please pls rather really same shall she should shouldnt so some something such \
    than thanks that thats the their theirs them themselves then there theres these they theyre thing things this \
    those though through thus to too under until up upon us very via want wants was wasnt way we well were werent \
    what whats when where whether which while who whom whose why will with within without wont would wouldnt yes \
    yet you youd youll your youre yours yourself";

/// No CJK function word is longer, in characters.
const LONGEST_CJK: usize = 5;

/// Words of everyday grammar and of asking.
const CJK: &str = "的 了 是 在 我 你 他 她 它 我们 你们 他们 咱们 和 与 或 及 跟 同 对 把 被 给 让 从 到 往 向 为 为了 以 以及 \
    就 都 也 还 又 再 很 太 更 最 不 没 没有 别 要 想 想要 能 不能 会 不会 可以 不可以 可能 应该 需要 必须 请 请问 帮 帮我 帮忙 帮 一起 最后 第一 整个 所有 全部 每次 目前 今天 明天 昨天 最近 以前 以后 上次 下次 开始 准备 打算 希望 觉得 认为 知道 好像 似乎 突然 竟然 一下 一个 一些 一种 \
    这 那 这个 那个 这些 那些 这里 那里 这样 那样 这么 那么 什么 怎么 怎样 怎么办 为什么 如何 哪里 哪个 哪些 谁 多少 几个 吗 呢 吧 啊 呀 \
    啦 嘛 哦 着 过 得 地 之 其 而 且 但 但是 不过 因为 所以 如果 要是 虽然 然后 接着 现在 已经 正在 刚才 还是 或者 并且 而且 只 只是 \
    只要 只有 有 有没有 是不是 能不能 可不可以 行不行 行吗 好吗 好的 看看 看一下 试试 一直 总是 老是 有点 一点 时候 的话 之后 之前 里 里面 上 \
    下 上面 下面 中 内 外 后 前 用 做 弄 搞 个 些 种 次 下去 起来 出来 进去 过来 直接 都是 就是 还有 另外 同样 比如 例如 关于 根据 按照 通过 由于 等等 以内 左右 大概 差不多 先 再把 都要 不要 不用 不是 不了 不到 不上 为止 来说 对于 其中 任何 各种 很多 许多 几次 两个 三个 这次 那次 它们 自己 别人 大家 有人 没人 \
    は が を に で と も の へ や か な ね よ です ます でした ました ください して した する される いる ある こと もの これ それ \
    あれ この その あの ここ そこ どこ なに 何 どう どうやって なぜ から まで より だけ ので のに ため ような という できる できない てください したい してください について ときに ところ とか など けど しかし また まだ もう すぐ 全部 \
    은 는 이 가 을 를 에 에서 으로 로 와 과 도 의 만 하다 해 해줘 해주세요 합니다 입니다 있는 없는 그 저 것 무엇 어떻게 왜 좀";

/// Whether a lower-case English word (apostrophes removed) carries no subject.
pub(crate) fn is_stop_word(word: &str) -> bool {
    static WORDS: OnceLock<HashSet<&str>> = OnceLock::new();
    WORDS.get_or_init(|| ENGLISH.split_whitespace().collect()).contains(word)
}

/// A CJK run without its function words: what is left, in order. A function word wins by length,
/// so that 为什么 is not cut at 为.
pub(crate) fn cut_at_stop_words(run: &str) -> Vec<&str> {
    let mut segments = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < run.len() {
        match leading_stop_word(&run[at..]) {
            0 => at += run[at..].chars().next().map_or(1, char::len_utf8),
            length => {
                segments.push(&run[start..at]);
                at += length;
                start = at;
            }
        }
    }
    segments.push(&run[start..]);
    segments.retain(|segment| !segment.is_empty());
    segments
}

/// The length in bytes of the longest function word that a CJK text starts with, or 0.
pub(crate) fn leading_stop_word(text: &str) -> usize {
    static WORDS: OnceLock<HashSet<&str>> = OnceLock::new();
    let words = WORDS.get_or_init(|| CJK.split_whitespace().collect());
    prefixes(text, LONGEST_CJK).into_iter().rev().find(|prefix| words.contains(prefix)).map_or(0, str::len)
}

/// The first `longest` prefixes of a text, by character.
pub(crate) fn prefixes(text: &str, longest: usize) -> Vec<&str> {
    text.char_indices().take(longest).map(|(at, c)| &text[..at + c.len_utf8()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cjk_runs_are_cut_at_function_words() {
        for (run, expected) in [
            ("帮我改一下模型", vec!["改", "模型"]),
            ("为什么数据库连不上", vec!["数据库连"]),
            ("端口", vec!["端口"]),
            ("的了", vec![]),
        ] {
            assert_eq!(cut_at_stop_words(run), expected, "{run}");
        }
    }
}
