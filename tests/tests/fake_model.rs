//! The fake model over its socket, as a host meets it: what it says in each protocol.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use remora_tests::fake_model::Purpose;
use remora_tests::{Call, FakeModel, Result, Script, Step};
use serde_json::{Value, json};

/// Sends one request and gives the status line's code and the body.
fn post(model: &FakeModel, path: &str, body: &Value) -> (u16, String) {
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: fake\r\nx-api-key: secret\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    let mut socket = TcpStream::connect(("127.0.0.1", model.port())).expect("a connection");
    socket.write_all(&[head.as_bytes(), body.as_bytes()].concat()).expect("a sent request");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("an answer");
    let status = answer.split_whitespace().nth(1).and_then(|code| code.parse().ok()).expect("a status");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
    (status, body.to_owned())
}

/// The data of each server-sent event.
fn events(body: &str) -> Vec<Value> {
    let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).expect("JSON")).collect()
}

fn script() -> Script {
    Script::new([Step {
        text: Some("Let me look.".to_owned()),
        input_tokens: Some(1234),
        ..Step::calls([
            Call::new("shell", json!({"command": "ls"})),
            Call::new("shell", json!({"command": "id"})),
        ])
    }])
}

/// What a request looks like in a protocol, and where the parts of an answer are in it.
struct Protocol {
    path: &'static str,
    ask: Value,
    /// Pointers to text, the first and the second call's arguments, and the input tokens.
    whole: [&'static str; 4],
}

fn protocols() -> Vec<Protocol> {
    let messages = json!([{"role": "user", "content": "hello"}]);
    vec![
        Protocol {
            path: "/v1/messages?beta=true",
            ask: json!({"messages": messages, "tools": [{"name": "shell"}]}),
            whole: ["/content/0/text", "/content/1/input", "/content/2/input", "/usage/input_tokens"],
        },
        Protocol {
            path: "/v1/responses",
            ask: json!({"input": messages, "tools": [{"type": "function", "name": "shell"}]}),
            whole: [
                "/output/0/content/0/text",
                "/output/1/arguments",
                "/output/2/arguments",
                "/usage/input_tokens",
            ],
        },
        Protocol {
            path: "/v1/chat/completions",
            ask: json!({"messages": messages, "tools": [{"function": {"name": "shell"}}]}),
            whole: [
                "/choices/0/message/content",
                "/choices/0/message/tool_calls/0/function/arguments",
                "/choices/0/message/tool_calls/1/function/arguments",
                "/usage/prompt_tokens",
            ],
        },
        Protocol {
            path: "/v1beta/models/m:generateContent?key=secret",
            ask: json!({
                "contents": [{"role": "user", "parts": [{"text": "hello"}]}],
                "tools": [{"functionDeclarations": [{"name": "shell"}]}],
            }),
            whole: [
                "/candidates/0/content/parts/0/text",
                "/candidates/0/content/parts/1/functionCall/args",
                "/candidates/0/content/parts/2/functionCall/args",
                "/usageMetadata/promptTokenCount",
            ],
        },
    ]
}

/// Arguments come as an object or as JSON in a text.
fn arguments(value: &Value) -> Value {
    value.as_str().map_or_else(|| value.clone(), |text| serde_json::from_str(text).expect("JSON"))
}

#[test]
fn a_whole_answer_holds_text_calls_and_usage_in_every_protocol() -> Result<()> {
    for Protocol { path, ask, whole } in protocols() {
        let model = FakeModel::start(script())?;
        let (status, body) = post(&model, path, &ask);
        assert_eq!(status, 200, "{path}: {body}");
        let answer: Value = serde_json::from_str(&body).expect("JSON");
        let at = |pointer: &str| {
            answer.pointer(pointer).unwrap_or_else(|| panic!("{path}: no {pointer} in {body}"))
        };
        assert_eq!(at(whole[0]), "Let me look.");
        assert_eq!(arguments(at(whole[1])), json!({"command": "ls"}));
        assert_eq!(arguments(at(whole[2])), json!({"command": "id"}));
        assert_eq!(at(whole[3]), 1234);
    }
    Ok(())
}

#[test]
fn a_stream_carries_the_same_in_every_protocol() -> Result<()> {
    for Protocol { path, mut ask, .. } in protocols() {
        let path = path.replace(":generateContent", ":streamGenerateContent");
        ask["stream"] = json!(true);
        let model = FakeModel::start(script())?;
        let (status, body) = post(&model, &path, &ask);
        assert_eq!(status, 200, "{path}: {body}");
        let said: String = events(&body).iter().map(Value::to_string).collect();
        for part in ["Let me look.", "ls", "id", "1234"] {
            assert!(said.contains(part), "{path}: no {part} in {said}");
        }
    }
    Ok(())
}

#[test]
fn an_error_has_the_protocols_shape_and_uses_up_its_step() -> Result<()> {
    for Protocol { path, ask, .. } in protocols() {
        let model = FakeModel::start(Script::new([Step::error(529, "too busy"), Step::text("fine")]))?;
        let (status, body) = post(&model, path, &ask);
        assert_eq!(status, 529, "{path}");
        let error: Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!(error["error"]["message"], "too busy", "{path}: {body}");
        assert!(post(&model, path, &ask).1.contains("fine"), "{path}");
        assert!(post(&model, path, &ask).1.contains("Done."), "{path}: beyond the script");
    }
    Ok(())
}

#[test]
fn everything_is_written_down_but_keys() -> Result<()> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = FakeModel::start_with(script(), 0, Some(folder.path().to_owned()))?;
    let protocols = protocols();
    for Protocol { path, ask, .. } in &protocols {
        let _ = post(&model, path, ask);
    }
    let _ = post(&model, "/v1/messages/count_tokens", &json!({"messages": []}));
    for recording in [model.recording(), remora_tests::Recording::read(folder.path())?] {
        let requests = recording.requests();
        assert_eq!(requests.len(), protocols.len() + 1);
        assert_eq!(recording.find("hello").len(), protocols.len(), "{}", recording.outline());
        assert_eq!(requests[4].purpose, Purpose::Other);
        assert_eq!(requests[0].purpose, Purpose::Main { step: 0 });
        let written = serde_json::to_string(requests).expect("JSON");
        assert!(!written.contains("secret"), "{written}");
    }
    Ok(())
}

#[test]
fn a_delayed_answer_comes_no_sooner() -> Result<()> {
    let delay = Duration::from_millis(200);
    let model = FakeModel::start(Script::new([Step::text("late").after(delay)]))?;
    let started = Instant::now();
    let first = &protocols()[0];
    assert!(post(&model, first.path, &first.ask).1.contains("late"));
    assert!(started.elapsed() >= delay);
    Ok(())
}
