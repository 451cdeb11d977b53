//! What is a secret and what only looks like one.
//!
//! All values are made up, and written in pieces so that no scanner takes this file for a leak.

/// A text, and what redaction makes of it.
pub(crate) type Case = (&'static str, &'static str);

/// Tokens that tell by their shape what they are.
pub(crate) const TOKENS: &[Case] = &[
    (concat!("ghp", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"), "[redacted: github token]"),
    (
        concat!("push with gho", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8."),
        "push with [redacted: github token].",
    ),
    (concat!("ghu", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"), "[redacted: github token]"),
    (concat!("ghs", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"), "[redacted: github token]"),
    (concat!("ghr", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"), "[redacted: github token]"),
    (
        concat!(
            "github",
            "_pat_11ABCDE0Y0abcdefghijkl_mnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"
        ),
        "[redacted: github token]",
    ),
    (concat!("x=glpat", "-aB3dE6gH9jK2mN5pQ8sT"), "x=[redacted: gitlab token]"),
    (concat!("gldt", "-aB3dE6gH9jK2mN5pQ8sT"), "[redacted: gitlab token]"),
    (concat!("xoxb", "-123456789012-1234567890123-aBcDeFgHiJkLmNoPqRsTuVwX"), "[redacted: slack token]"),
    (concat!("xoxp", "-123456789012-123456789012-abcdef"), "[redacted: slack token]"),
    (concat!("xapp", "-1-A012BCDEF-123456789-abcdef0123456789"), "[redacted: slack token]"),
    (
        concat!("https://hooks.slack.com/", "services/T01ABCDEF/B02GHIJKL/aBcDeFgHiJkLmNoPqRsTuVwX"),
        "https://hooks.slack.com/services/[redacted: slack webhook]",
    ),
    (
        concat!(
            "https://discord.com/api/",
            "webhooks/123456789012345678/aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789-aBcDeFgHiJkLmNo"
        ),
        "https://discord.com/api/webhooks/[redacted: discord webhook]",
    ),
    (
        concat!("https://open.feishu.cn/open-apis/bot/", "v2/hook/1a2b3c4d-5e6f-7a8b-9c0d-1e2f3a4b5c6d"),
        "https://open.feishu.cn/open-apis/bot/v2/hook/[redacted: feishu webhook]",
    ),
    (
        concat!(
            "https://qyapi.weixin.qq.com/cgi-bin/",
            "webhook/send?key=1a2b3c4d-5e6f-7a8b-9c0d-1e2f3a4b5c6d"
        ),
        "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=[redacted: wecom webhook]",
    ),
    (concat!("AKIA", "Q3EGKRPWZVYTNMLB"), "[redacted: aws access key]"),
    (concat!("ASIA", "Q3EGKRPWZVYTNMLB"), "[redacted: aws access key]"),
    (
        concat!("AKIA", "Q3EGKRPWZVYTNMLB,", "k7Gf2/Qp9xZrT4vLmN8sWy1BcD6eHjKuXaVbEiOo"),
        "[redacted: aws access key],[redacted: aws secret key]",
    ),
    (
        concat!("aws_secret_access_key = ", "k7Gf2/Qp9xZrT4vLmN8sWy1BcD6eHjKuXaVbEiOo"),
        "aws_secret_access_key = [redacted: key]",
    ),
    (concat!("AIza", "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"), "[redacted: google api key]"),
    (concat!("ya29", ".a0AfH6SMBx1y2z3A4b5C6d7E8f9G0h"), "[redacted: google oauth token]"),
    (concat!("GOCSPX", "-a1B2c3D4e5F6g7H8i9J0k1L2m3N4"), "[redacted: google client secret]"),
    (concat!("sk", "-a1B2c3D4e5F6g7H8i9J0T3BlbkFJk1L2m3N4o5P6q7R8s9T0"), "[redacted: openai key]"),
    (concat!("sk", "-proj-a1B2c3D4e5F6g7H8_i9J0k1L2m3N4o5P6q7R8s9T0-u1"), "[redacted: openai key]"),
    (concat!("sk", "-0123456789abcdef0123456789abcdef"), "[redacted: openai key]"),
    (
        concat!("sk", "-ant-api03-a1B2c3D4e5F6g7H8i9J0-k1L2m3N4o5P6q7R8s9T0u1V2w3X4AA"),
        "[redacted: anthropic key]",
    ),
    (concat!("sk", "-or-v1-0123456789abcdef0123456789abcdef0123456789abcdef"), "[redacted: openrouter key]"),
    (concat!("sk", "_live_51a1B2c3D4e5F6g7H8i9J0k1"), "[redacted: stripe key]"),
    (concat!("rk", "_live_51a1B2c3D4e5F6g7H8i9J0k1"), "[redacted: stripe key]"),
    (concat!("sk", "_test_51a1B2c3D4e5F6g7H8i9J0k1"), "[redacted: stripe key]"),
    (concat!("whsec", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6"), "[redacted: webhook secret]"),
    (concat!("npm", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"), "[redacted: npm token]"),
    (
        concat!("pypi", "-AgEIcHlwaS5vcmcCJDAxMjM0NTY3LTg5YWItY2RlZi0wMTIzLTQ1Njc4OWFiY2RlZg"),
        "[redacted: pypi token]",
    ),
    (concat!("cio", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6"), "[redacted: crates token]"),
    (concat!("hf", "_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH"), "[redacted: hugging face token]"),
    (
        concat!("dop", "_v1_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"),
        "[redacted: digitalocean token]",
    ),
    (
        concat!("SG", ".a1B2c3D4e5F6g7H8i9J0k1.a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V"),
        "[redacted: sendgrid key]",
    ),
    (concat!("twilio SK", "0123456789abcdef0123456789abcdef"), "twilio [redacted: twilio key]"),
    (concat!("123456789", ":AAa1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q"), "[redacted: telegram token]"),
    (
        concat!("https://api.telegram.org/bot123456789", ":AAa1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q/getMe"),
        "https://api.telegram.org/bot[redacted: telegram token]/getMe",
    ),
    (concat!("MTk4NjIyNDgzNDcxOTI1MjQ4", ".Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs"), "[redacted: discord token]"),
    (concat!("dapi", "0123456789abcdef0123456789abcdef"), "[redacted: databricks token]"),
    (concat!("hvs", ".a1B2c3D4e5F6g7H8i9J0k1L2"), "[redacted: vault token]"),
    (concat!("shpat", "_0123456789abcdef0123456789abcdef"), "[redacted: shopify token]"),
    (concat!("glsa", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6_0a1b2c3d"), "[redacted: grafana token]"),
    (concat!("lin_api", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"), "[redacted: linear key]"),
    (concat!("dckr_pat", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N"), "[redacted: docker token]"),
    (concat!("LTAI", "5tA1b2C3d4E5f6G7h8I9"), "[redacted: alibaba access key]"),
    (concat!("gsk", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2"), "[redacted: groq key]"),
    (concat!("r8", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s"), "[redacted: replicate token]"),
    (
        concat!("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NTY3ODkwIn0", ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"),
        "[redacted: jwt]",
    ),
    (
        concat!(
            "AccountName=store;AccountKey=",
            "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6a7B8c9D0e1F2g3H4i5J6k7L8m9N0o1P2q3==;Endpoint"
        ),
        "AccountName=store;AccountKey=[redacted: key];Endpoint",
    ),
    (concat!("Xq28Q", "~aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3"), "[redacted: azure client secret]"),
    // Where a text was escaped or coloured before.
    (concat!("a\\nghp", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\\nb"), "a\\n[redacted: github token]\\nb"),
    (concat!("q=%3Dghp", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"), "q=%3D[redacted: github token]"),
    (
        concat!("\u{1b}[32mghp", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\u{1b}[0m"),
        "\u{1b}[32m[redacted: github token]\u{1b}[0m",
    ),
    (concat!("令牌ghp", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8。"), "令牌[redacted: github token]。"),
];

const LINES: [&str; 3] = [
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
    "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu",
    "NMoSfm76oqFvAp8Gy0iz5sxjZmSnXyCdPEovGhLa0VzMaQ8s+CLOyS56YyCFGeJZ",
];

/// Private keys in all the ways in which they stand in texts.
pub(crate) fn key_blocks() -> Vec<(String, String)> {
    let [one, two, three] = LINES;
    let begin = |kind: &str| format!("-----BEGIN {kind}-----");
    let end = |kind: &str| format!("-----END {kind}-----");
    let mut cases = Vec::new();
    for kind in [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        cases.push((
            format!("before\n{}\n{one}\n{two}\nabc=\n{}\nafter", begin(kind), end(kind)),
            "before\n[redacted: private key]\nafter".to_owned(),
        ));
    }
    let (begin, end) = (begin("RSA PRIVATE KEY"), end("RSA PRIVATE KEY"));
    let headers = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF\n";
    for (text, wanted) in [
        // With headers, in one line, in a string with escapes, in source code, with line numbers.
        (format!("{begin}\n{headers}\n{one}\n{two}\n{end}"), "[redacted: private key]"),
        (format!("K=\"{begin} {one} {two} {end}\""), "K=\"[redacted: private key]\""),
        (
            format!("{{\"k\": \"{begin}\\n{one}\\n{two}\\n{end}\\n\"}}"),
            "{\"k\": \"[redacted: private key]\\n\"}",
        ),
        (
            format!("  1→{begin}\n  2→{one}\n  3→{two}\n  4→{end}\n  5→x"),
            "  1→[redacted: private key]\n  5→x",
        ),
        // Never closed, cut at either end, closed after something else.
        (format!("a {begin}\n{one}\n{two}\n{three}"), "a [redacted: private key]"),
        (format!("a {begin}\n{one}\n{two}\nqQ==\n\n$ ls\nsrc"), "a [redacted: private key]\n\n$ ls\nsrc"),
        (format!("{two}\n{three}\nqQ==\n{end}\nafter"), "[redacted: private key]\nafter"),
        (format!("... cut ...\n{two}\n{end}\nafter"), "... cut ...\n[redacted: private key]\nafter"),
        (
            format!("{begin}\n{one}\n\nIn words: this and that.\n{begin}\n{two}\n{end}"),
            "[redacted: private key]\n\nIn words: this and that.\n[redacted: private key]",
        ),
    ] {
        cases.push((text, wanted.to_owned()));
    }
    cases.push((
        format!("PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2\n{one}\n{two}\nPrivate-MAC: 00"),
        "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2[redacted: private key]\nPrivate-MAC: 00".to_owned(),
    ));
    cases
}

/// Secrets in places that are made for one.
pub(crate) const PLACES: &[Case] = &[
    ("postgres://app:s3cr3t@db.local:5432/app", "postgres://app:[redacted: password]@db.local:5432/app"),
    (
        "DATABASE_URL=mysql://root:hunter2@127.0.0.1/x",
        "DATABASE_URL=mysql://root:[redacted: password]@127.0.0.1/x",
    ),
    ("postgres://admin:admin123@db.local/app", "postgres://admin:[redacted: password]@db.local/app"),
    ("redis://:pa55w0rd@cache:6379/0", "redis://:[redacted: password]@cache:6379/0"),
    ("mongodb+srv://u:p%40ss1@c0.mongodb.net/x?y", "mongodb+srv://u:[redacted: password]@c0.mongodb.net/x?y"),
    ("amqp://guest:gu3st/x@mq/vhost", "amqp://guest:[redacted: password]@mq/vhost"),
    (
        "git clone https://me:a1b2c3d4e5@git.example.org/x.git",
        "git clone https://me:[redacted: password]@git.example.org/x.git",
    ),
    ("https://0123456789abcdef0123456789abcdef@sentry.io/1", "https://[redacted: token]@sentry.io/1"),
    ("Authorization: Bearer a1B2c3D4e5F6g7H8i9J0", "Authorization: Bearer [redacted: bearer token]"),
    (
        "curl -H 'Authorization: Bearer a1B2c3D4e5F6g7H8i9J0' https://x",
        "curl -H 'Authorization: Bearer [redacted: bearer token]' https://x",
    ),
    ("Authorization: Basic dXNlcjpzM2NyM3Q=", "Authorization: Basic [redacted: basic auth]"),
    ("Authorization: token a1b2c3d4e5f6a7b8c9d0", "Authorization: token [redacted: token]"),
    (
        "Cookie: theme=dark; sid=a1B2c3D4e5F6g7H8i9J0; lang=en",
        "Cookie: theme=dark; sid=[redacted: cookie]; lang=en",
    ),
    (
        "https://x.blob.core.windows.net/c?sp=r&sig=a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0%3D&sv=1",
        "https://x.blob.core.windows.net/c?sp=r&sig=[redacted: azure signature]&sv=1",
    ),
    (
        "{\"Authorization\": \"Bearer a1B2c3D4e5F6g7H8i9J0\"}",
        "{\"Authorization\": \"Bearer [redacted: bearer token]\"}",
    ),
    ("curl -u admin:Zt9kq2 https://x", "curl -u admin:[redacted: password] https://x"),
    ("curl -s --user 'admin:Zt9kq2' https://x", "curl -s --user 'admin:[redacted: password]' https://x"),
    ("sshpass -p Zt9kq2 ssh host", "sshpass -p [redacted: password] ssh host"),
    ("redis-cli -h cache -a Zt9kq2 ping", "redis-cli -h cache -a [redacted: password] ping"),
    (
        "docker login -u me -p Zt9kq2 r.example.org",
        "docker login -u me -p [redacted: password] r.example.org",
    ),
    ("mysql -u root -pZt9kq2 app", "mysql -u root -p[redacted: password] app"),
    ("CREATE USER x IDENTIFIED BY 'Zt9kq2'", "CREATE USER x IDENTIFIED BY '[redacted: password]'"),
    ("machine x login me password Zt9kq2", "machine x login me password [redacted: password]"),
];

/// Values of names that speak of a secret.
pub(crate) const NAMES: &[Case] = &[
    // Settings of programs.
    ("DB_PASSWORD=s3cr3t", "DB_PASSWORD=[redacted: password]"),
    ("export PGPASSWORD=hunter2", "export PGPASSWORD=[redacted: password]"),
    ("DB_PASSWORD=plainword\nX=1", "DB_PASSWORD=[redacted: password]\nX=1"),
    ("DB_PASSWORD=p@ss,w(or)d;9&x\nX=1", "DB_PASSWORD=[redacted: password]\nX=1"),
    ("DB_PASSWORD='two words 1'", "DB_PASSWORD='two words 1'"),
    ("API_KEY=\"a1b2c3d4e5\"", "API_KEY=\"[redacted: key]\""),
    ("STRIPE_KEY=a1B2c3D4e5F6g7H8i9J0", "STRIPE_KEY=[redacted: key]"),
    (
        "docker run -e MYSQL_ROOT_PASSWORD=Zt9kq2 mysql",
        "docker run -e MYSQL_ROOT_PASSWORD=[redacted: password] mysql",
    ),
    ("password: hunter2", "password: [redacted: password]"),
    ("  db-password: \"hunter2\"", "  db-password: \"[redacted: password]\""),
    ("spring.datasource.password=hunter2", "spring.datasource.password=[redacted: password]"),
    (
        "//registry.example.org/:_authToken=a1b2c3d4-e5f6-a7b8-c9d0-e1f2a3b4c5d6",
        "//registry.example.org/:_authToken=[redacted: token]",
    ),
    ("SECRET_KEY = 'dj-k7#f2q!p9x$r4v'", "SECRET_KEY = '[redacted: key]'"),
    ("Server=db;User Id=sa;Password=Zt9kq2xx;", "Server=db;User Id=sa;Password=[redacted: password];"),
    ("<password>hunter2x</password>", "<password>[redacted: password]</password>"),
    ("- name: DB_PASSWORD\n  value: hunter2", "- name: DB_PASSWORD\n  value: [redacted: password]"),
    ("   12→DB_PASSWORD=hunter2", "   12→DB_PASSWORD=[redacted: password]"),
    ("+    api_key: a1b2c3d4e5f6g7h8", "+    api_key: [redacted: key]"),
    // Code.
    ("const apiKey = \"a1b2c3d4e5f6g7h8i9\";", "const apiKey = \"[redacted: key]\";"),
    ("let password: &str = \"hunter2x\";", "let password: &str = \"[redacted: password]\";"),
    ("clientSecret: 'a1B2c3D4e5F6g7H8'", "clientSecret: '[redacted: secret]'"),
    ("{\"access_token\":\"a1B2c3D4e5F6g7H8\"}", "{\"access_token\":\"[redacted: token]\"}"),
    (
        "{\\\"password\\\":\\\"hunter2\\\",\\\"a\\\":1}",
        "{\\\"password\\\":\\\"[redacted: password]\\\",\\\"a\\\":1}",
    ),
    ("login(user=\"me\", password=\"hunter2\")", "login(user=\"me\", password=\"[redacted: password]\")"),
    ("client.api_key(\"a1b2c3d4e5f6g7h8\")", "client.api_key(\"[redacted: key]\")"),
    ("define('DB_PASSWORD', 'hunter2');", "define('DB_PASSWORD', '[redacted: password]');"),
    ("config[\"auth_token\"] = \"a1b2c3d4e5f6g7h8\"", "config[\"auth_token\"] = \"[redacted: token]\""),
    ("let secret = String::from(\"a1b2c3d4e5\");", "let secret = String::from(\"[redacted: secret]\");"),
    ("db_password=letmein\nport=1", "db_password=[redacted: password]\nport=1"),
    ("\"password\": \"BbOktYDMAd\"", "\"password\": \"[redacted: password]\""),
    (
        "AWS_SECRET_ACCESS_KEY=/wKUP7VtqAli2QFpi3fa2T/5S4Gcg/b99Tu3+r9a",
        "AWS_SECRET_ACCESS_KEY=[redacted: key]",
    ),
    // Commands and addresses.
    ("deploy --token a1b2c3d4e5f6 --verbose", "deploy --token [redacted: token] --verbose"),
    ("wget --password=Zt9kq2 x", "wget --password=[redacted: password] x"),
    ("GET /v1/x?access_token=a1b2c3d4e5f6g7h8&y=1", "GET /v1/x?access_token=[redacted: token]&y=1"),
    ("X-Api-Key: a1b2c3d4e5f6g7h8i9", "X-Api-Key: [redacted: key]"),
    // Sentences and labels.
    ("the admin password is hunter2, remember it", "the admin password is [redacted: password], remember it"),
    ("My password: hunter2", "My password: [redacted: password]"),
    ("**Password**: `Zt9kq2`", "**Password**: `[redacted: password]`"),
    ("| db password | Zt9!kq2x |", "| db password | [redacted: password] |"),
    ("数据库密码是 hunter2x，别忘了", "数据库密码是 [redacted: password]，别忘了"),
    ("密码：Zt9kq2", "密码：[redacted: password]"),
    ("パスワードをqlwSU69X2に変更して", "パスワードを[redacted: password]に変更して"),
    ("비밀번호를 Zt9kq2x로 바꿔", "비밀번호를 [redacted: password]로 바꿔"),
    ("le mot de passe est Zt9kq2x", "le mot de passe est [redacted: password]"),
    ("la contraseña es Zt9kq2x.", "la contraseña es [redacted: password]."),
    ("пароль: eK0Fi6EAP", "пароль: [redacted: password]"),
    ("das Passwort ist Zt9kq2x", "das Passwort ist [redacted: password]"),
    (
        "aws configure set aws_secret_access_key 9qLw2Zt7RkXv1Bn4Ym8Pc3Ds6Fg0Hj5Ka2Ue7Tx",
        "aws configure set aws_secret_access_key [redacted: key]",
    ),
    ("口令为Zt9kq2。", "口令为[redacted: password]。"),
    ("把密码改成「Zt9kq2」", "把密码改成「[redacted: password]」"),
    ("密钥=a1B2c3D4e5F6g7H8", "密钥=[redacted: key]"),
    ("令牌: a1b2c3d4e5f6g7h8", "令牌: [redacted: token]"),
    ("パスワードは Zt9kq2 です", "パスワードは [redacted: password] です"),
    ("비밀번호는 Zt9kq2 입니다", "비밀번호는 [redacted: password] 입니다"),
    ("WiFi密码: 88886666", "WiFi密码: [redacted: password]"),
    (
        "mnemonic = \"able baker cable delta eagle fable gamma hotel index joker kilo lemon\"",
        "mnemonic = \"[redacted: seed phrase]\"",
    ),
];

/// What only looks like a secret.
pub(crate) const INNOCENT: &[&str] = &[
    // Identifiers, digests, addresses.
    "550e8400-e29b-41d4-a716-446655440000",
    "session_id: 550e8400-e29b-41d4-a716-446655440000",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "\"integrity\": \"sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==\"",
    "checksum = \"9fceb02d0ae598e95dc970b74767f19372d61af89fceb02d0ae598e95dc970b7\"",
    "etag: \"33a64df551425fcc55e4d42a148795d9f25f89d4\"",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me@host",
    "https://example.org/path?page=2&sort=name",
    "https://user@example.org/x",
    "http://localhost:8080/api@v2/x",
    "git@github.com:rust-lang/rust.git",
    "ssh://git@github.com/rust-lang/rust.git",
    "docker://registry.example.org:5000/app@sha256:abc",
    "postgres://localhost:5432/app",
    "postgres://user:password@localhost/app",
    "postgres://${DB_USER}:${DB_PASS}@db/app",
    "postgres://user:<password>@db/app",
    "redis://:***@cache:6379",
    "/etc/ssl/private/server.key",
    "token_path = \"/var/run/secrets/token1\"",
    // Stand-ins.
    "API_KEY=<your-api-key>",
    "API_KEY=your_api_key_here",
    "API_KEY=xxxxxxxxxxxxxxxxxxxx",
    "password: changeme",
    "PASSWORD=${DB_PASSWORD}",
    "TOKEN=$GITHUB_TOKEN",
    "TOKEN=$(cat ~/.token)",
    "apiKey: process.env.API_KEY,",
    "api_key = os.environ[\"API_KEY\"]",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "password=********",
    "password: \"example123\"",
    concat!("AKIA", "IOSFODNN7EXAMPLE"),
    concat!("ghp", "_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
    concat!("sk", "-your-key-here-0123456789"),
    concat!("sk", "-ant-...abcd"),
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer ${token}",
    "password = \"test123\"",
    "secret: my-secret-token",
    "[redacted: github token]",
    "password=[redacted: password]",
    // Code about secrets.
    "pub const ERROR_WRONG_PASSWORD: WIN32_ERROR = 1323u32;",
    "const E_PASSWORD: HRESULT = 0x80550008_u32 as _;",
    "USERNAME_PASSWORD: 0x02,",
    "const pw = writes.get(path117);",
    "the context to pass to sqlite3ResolveExprNames() next",
    "columns identified by \"colUsed\", all but one",
    "progressToken: ProgressTokenSchema2",
    "\"progressToken\": \"e39b31e6-d732-420e-b2a4-023ddde01970\"",
    "\"token\": \"431a39eb-3471-47f3-90e3-7b0f1e1585fa\"",
    "password = password.encode(\"latin1\")",
    "x.length === 0 ? pass : y.map(flatten2).reduce(concat2);",
    "pass: checks.filter((c4) => c4.ok),",
    "PWD=/home/me/src",
    "\"PWD\": \"/Users/me\"",
    "Set-Cookie: theme=dark; Path=/",
    "password: string;",
    "pub password: String,",
    "fn check(token: &str, secret: &[u8]) -> bool",
    "token: u64,",
    "let token = get_token()?;",
    "token = self.next_token2();",
    "const token = await fetchToken(userId1);",
    "if (password == null) return;",
    "this.password = password1;",
    "token = tokens[0];",
    "password = req.body.password;",
    "token: TokenKind::Ident,",
    "max_tokens: 4096",
    "token_count=1234567890123456",
    "nextPageToken: \"CAUQAA1b2C3d4E5f6\"",
    "<input type=\"password\" name=\"password\" id=\"pw1\">",
    "<label for=\"password\">Password:</label>",
    "password: \"Please enter your password\"",
    "password: { type: String, required: true, minlength: 8 }",
    "'password' => 'required|min:8|confirmed'",
    "password: /^[a-z0-9]{8,}$/",
    "secret_name: db-credentials-v2",
    "password_hash = hash_password(password, salt16)",
    "public_key = \"a1B2c3D4e5F6g7H8i9J0\"",
    "cacheKey: \"user:12345:profile:v2\"",
    "key: a1b2c3d4e5f6g7h8i9",
    "primaryKey: \"id_1a2b3c4d5e6f7a8b\"",
    "the token is invalid or expired",
    "password is required",
    "basic authentication and bearer authentication",
    "Bearer authentication-scheme-with-long-name",
    "class=\"sk-folding-cube sk-cube1-and-some-more\"",
    "task-0123456789abcdefghijABCDEFGHIJ",
    "npm_config_registry_and_more_words_follow",
    "npm_package_version",
    "hf_hub_download",
    "https://hooks.slack.com/services/",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo\n-----END PUBLIC KEY-----",
    "const BEGIN: &str = \"-----BEGIN PRIVATE KEY-----\";\nconst END: &str = \"-----END PRIVATE KEY-----\";",
    "if line.starts_with(\"-----BEGIN RSA PRIVATE KEY-----\") { return Err(Error::PrivateKey) }",
    "eyJ is how JSON begins in base64",
    "foo.bar123.bazquxquuxcorgegraultgarplywaldofred",
    "curl -u \"$USER:$PASS\" https://x",
    "mysql -u root -p app",
    "忘记密码是常有的事",
    "密码：必填",
    "请输入密码和令牌",
    "パスワードは必須です",
    "비밀번호는 필수입니다",
    "at 12:34:56 token=0",
    "monkey: banana42",
    "keyboard=qwerty12345",
    "author: jane42",
    "compass=n0rth3ast",
];
