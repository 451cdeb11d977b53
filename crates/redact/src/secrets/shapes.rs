//! Tokens that are known by their beginning.
//!
//! The beginnings and lengths are what the issuers document or use; where lengths vary, the shortest is
//! taken with some room, since a token that grew is still a token.

use crate::words::{Words, pack, packed_len};

/// What a token is made of after its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// Letters and digits.
    Alnum,
    /// Capital letters and digits.
    Upper,
    /// Hexadecimal digits.
    Hex,
    /// Letters, digits, underscore.
    Word,
    /// Letters, digits, underscore, hyphen.
    Url,
    /// The same and the dot.
    Dotted,
    /// Letters, digits, `+`, `/`, `=`, underscore, hyphen.
    Base64,
    /// What may be in the path of an URL.
    Path,
}

/// How a token is told from a word with the same beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// Beginning and length are enough.
    Length,
    /// The length is exact.
    Exact,
    /// It has a digit.
    Digit,
    /// It has a capital letter and a small one, or a digit among letters.
    Mixed,
}

/// One kind of token.
pub(super) struct Shape {
    pub(super) prefix: &'static str,
    kind: &'static str,
    check: Check,
}

/// What is checked after the beginning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Check {
    pub(super) body: Body,
    /// The shortest body, in characters.
    pub(super) least: u8,
    pub(super) sign: Sign,
    /// The beginning is an address or a label that may stay.
    pub(super) keeps_prefix: bool,
}

const fn shape(kind: &'static str, prefix: &'static str, body: Body, least: u8, sign: Sign) -> Shape {
    Shape { prefix, kind, check: Check { body, least, sign, keeps_prefix: false } }
}

const fn after(kind: &'static str, prefix: &'static str, body: Body, least: u8, sign: Sign) -> Shape {
    Shape { prefix, kind, check: Check { body, least, sign, keeps_prefix: true } }
}

use Body::{Alnum, Base64, Dotted, Hex, Path, Upper, Url, Word};
use Sign::{Digit, Exact, Length, Mixed};

/// The checks of [`SHAPES`]. The program has these and [`KINDS`]; the table itself is read by the compiler only.
pub(super) static CHECKS: [Check; SHAPES.len()] = {
    let mut checks = [SHAPES[0].check; SHAPES.len()];
    let mut number = 0;
    while number < SHAPES.len() {
        checks[number] = SHAPES[number].check;
        number += 1;
    }
    checks
};

/// The kind of token number so and so.
pub(super) fn kind(number: usize) -> &'static str {
    KINDS.iter().nth(number).and_then(|kind| std::str::from_utf8(kind).ok()).unwrap_or("token")
}

const KINDS: Words = {
    const NAMES: [&str; SHAPES.len()] = {
        let mut names = [""; SHAPES.len()];
        let mut number = 0;
        while number < SHAPES.len() {
            names[number] = SHAPES[number].kind;
            number += 1;
        }
        names
    };
    const PACKED: &[u8] = &pack::<{ packed_len(&NAMES) }>(&NAMES);
    Words::of(PACKED)
};

/// All kinds.
pub(super) const SHAPES: &[Shape] = &[
    // Source code hosting.
    shape("github token", "ghp_", Alnum, 20, Length),
    shape("github token", "gho_", Alnum, 20, Length),
    shape("github token", "ghu_", Alnum, 20, Length),
    shape("github token", "ghs_", Dotted, 20, Mixed),
    shape("github token", "ghr_", Alnum, 20, Length),
    shape("github token", "github_pat_", Word, 22, Length),
    shape("gitlab token", "glpat-", Dotted, 18, Mixed),
    shape("gitlab token", "gldt-", Dotted, 18, Mixed),
    shape("gitlab token", "glrt-", Dotted, 18, Mixed),
    shape("gitlab token", "glcbt-", Dotted, 18, Mixed),
    shape("gitlab token", "glptt-", Dotted, 18, Mixed),
    shape("gitlab token", "glft-", Dotted, 18, Mixed),
    shape("gitlab token", "glsoat-", Dotted, 18, Mixed),
    shape("gitlab token", "glagent-", Dotted, 18, Mixed),
    shape("gitlab token", "gloas-", Dotted, 18, Mixed),
    shape("gitlab token", "glimt-", Dotted, 18, Mixed),
    shape("bitbucket token", "ATBB", Alnum, 28, Mixed),
    shape("atlassian token", "ATATT3", Base64, 50, Mixed),
    shape("atlassian token", "ATCTT3", Base64, 50, Mixed),
    // Talk.
    shape("slack token", "xoxb-", Url, 10, Digit),
    shape("slack token", "xoxa-", Url, 10, Digit),
    shape("slack token", "xoxp-", Url, 10, Digit),
    shape("slack token", "xoxr-", Url, 10, Digit),
    shape("slack token", "xoxs-", Url, 10, Digit),
    shape("slack token", "xoxc-", Url, 10, Digit),
    shape("slack token", "xoxd-", Base64, 10, Digit),
    shape("slack token", "xoxe-", Url, 10, Digit),
    shape("slack token", "xoxe.xox", Dotted, 10, Digit),
    shape("slack token", "xapp-", Url, 16, Digit),
    after("slack webhook", "hooks.slack.com/services/", Path, 24, Mixed),
    after("slack webhook", "hooks.slack.com/workflows/", Path, 24, Mixed),
    after("slack webhook", "hooks.slack.com/triggers/", Path, 24, Mixed),
    after("discord webhook", "discord.com/api/webhooks/", Path, 40, Mixed),
    after("discord webhook", "discordapp.com/api/webhooks/", Path, 40, Mixed),
    after("teams webhook", "webhook.office.com/webhookb2/", Path, 40, Mixed),
    after("feishu webhook", "open.feishu.cn/open-apis/bot/v2/hook/", Path, 20, Mixed),
    after("feishu webhook", "open.larksuite.com/open-apis/bot/v2/hook/", Path, 20, Mixed),
    after("wecom webhook", "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", Path, 20, Mixed),
    // Clouds.
    shape("aws access key", "AKIA", Upper, 16, Exact),
    shape("aws access key", "ASIA", Upper, 16, Exact),
    shape("aws access key", "ABIA", Upper, 16, Exact),
    shape("aws access key", "ACCA", Upper, 16, Exact),
    after("aws signature", "x-amz-signature=", Hex, 64, Length),
    after("aws signature", "X-Amz-Signature=", Hex, 64, Length),
    after("azure signature", "?sig=", Base64, 40, Mixed),
    after("azure signature", "&sig=", Base64, 40, Mixed),
    shape("aws bedrock key", "ABSK", Base64, 90, Mixed),
    shape("google api key", "AIza", Url, 30, Mixed),
    shape("google oauth token", "ya29.", Dotted, 20, Mixed),
    shape("google oauth token", "1//0", Url, 30, Mixed),
    shape("google client secret", "GOCSPX-", Url, 20, Mixed),
    shape("alibaba access key", "LTAI", Alnum, 12, Mixed),
    shape("tencent secret id", "AKID", Alnum, 28, Mixed),
    shape("digitalocean token", "dop_v1_", Hex, 40, Length),
    shape("digitalocean token", "doo_v1_", Hex, 40, Length),
    shape("digitalocean token", "dor_v1_", Hex, 40, Length),
    shape("databricks token", "dapi", Hex, 32, Digit),
    shape("heroku token", "HRKU-", Url, 30, Mixed),
    shape("fly token", "fo1_", Url, 40, Mixed),
    shape("fly token", "fm1r_", Base64, 60, Mixed),
    shape("fly token", "fm2_", Base64, 60, Mixed),
    shape("netlify token", "nfp_", Alnum, 30, Mixed),
    shape("render token", "rnd_", Alnum, 28, Mixed),
    shape("supabase token", "sbp_", Hex, 40, Length),
    shape("supabase token", "sb_secret_", Url, 20, Mixed),
    shape("planetscale token", "pscale_tkn_", Dotted, 30, Mixed),
    shape("planetscale token", "pscale_pw_", Dotted, 30, Mixed),
    shape("planetscale token", "pscale_oauth_", Dotted, 30, Mixed),
    shape("vault token", "hvs.", Url, 24, Mixed),
    shape("vault token", "hvb.", Url, 24, Mixed),
    shape("vault token", "hvr.", Url, 24, Mixed),
    after("terraform token", ".atlasv1.", Url, 40, Mixed),
    shape("pulumi token", "pul-", Hex, 40, Exact),
    shape("doppler token", "dp.pt.", Alnum, 30, Mixed),
    shape("doppler token", "dp.st.", Dotted, 30, Mixed),
    shape("doppler token", "dp.ct.", Alnum, 30, Mixed),
    shape("1password token", "ops_eyJ", Base64, 100, Mixed),
    shape("age key", "AGE-SECRET-KEY-1", Upper, 50, Length),
    // Models.
    shape("hugging face token", "hf_", Alnum, 30, Mixed),
    shape("hugging face token", "api_org_", Alnum, 30, Mixed),
    shape("groq key", "gsk_", Alnum, 40, Mixed),
    shape("xai key", "xai-", Alnum, 40, Mixed),
    shape("perplexity key", "pplx-", Alnum, 40, Mixed),
    shape("replicate token", "r8_", Alnum, 30, Mixed),
    shape("nvidia key", "nvapi-", Url, 40, Mixed),
    shape("tavily key", "tvly-", Url, 20, Digit),
    shape("jina key", "jina_", Word, 40, Mixed),
    shape("langsmith key", "lsv2_pt_", Word, 40, Digit),
    shape("langsmith key", "lsv2_sk_", Word, 40, Digit),
    // Money.
    shape("stripe key", "sk_live_", Alnum, 16, Mixed),
    shape("stripe key", "sk_test_", Alnum, 16, Mixed),
    shape("stripe key", "rk_live_", Alnum, 16, Mixed),
    shape("stripe key", "rk_test_", Alnum, 16, Mixed),
    shape("webhook secret", "whsec_", Base64, 24, Mixed),
    shape("square token", "sq0atp-", Url, 20, Mixed),
    shape("square token", "sq0csp-", Url, 20, Mixed),
    shape("shopify token", "shpat_", Hex, 32, Length),
    shape("shopify token", "shpca_", Hex, 32, Length),
    shape("shopify token", "shppa_", Hex, 32, Length),
    shape("shopify token", "shpss_", Hex, 32, Length),
    // Package registries.
    shape("npm token", "npm_", Alnum, 30, Mixed),
    shape("pypi token", "pypi-", Url, 40, Mixed),
    shape("crates token", "cio", Alnum, 32, Exact),
    shape("rubygems token", "rubygems_", Hex, 40, Length),
    shape("nuget key", "oy2", Alnum, 43, Exact),
    shape("docker token", "dckr_pat_", Url, 20, Mixed),
    shape("docker token", "dckr_oat_", Url, 20, Mixed),
    // Mail, telephone, watching, planning.
    shape("sendgrid key", "SG.", Dotted, 40, Mixed),
    shape("mailgun key", "key-", Hex, 32, Exact),
    shape("new relic key", "NRAK-", Upper, 24, Length),
    shape("grafana token", "glc_", Base64, 30, Mixed),
    shape("grafana token", "glsa_", Word, 30, Mixed),
    shape("sentry token", "sntrys_", Base64, 40, Mixed),
    shape("sentry token", "sntryu_", Hex, 40, Length),
    shape("posthog key", "phx_", Alnum, 30, Mixed),
    shape("linear key", "lin_api_", Alnum, 30, Mixed),
    shape("linear key", "lin_oauth_", Alnum, 30, Mixed),
    shape("notion token", "ntn_", Alnum, 40, Mixed),
    shape("notion token", "secret_", Alnum, 43, Exact),
    shape("figma token", "figd_", Url, 30, Mixed),
    shape("postman key", "PMAK-", Url, 50, Mixed),
    shape("contentful token", "CFPAT-", Url, 40, Mixed),
    shape("typeform token", "tfp_", Dotted, 40, Mixed),
    shape("buildkite token", "bkua_", Hex, 40, Length),
    shape("circleci token", "CCIPAT_", Word, 40, Mixed),
    shape("sourcegraph token", "sgp_", Word, 40, Mixed),
];
