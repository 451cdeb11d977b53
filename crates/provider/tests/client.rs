//! The clients against a server of our own that answers by a script.

use std::collections::VecDeque;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use remora_engine::{Answered, KeySource, ModelError, ModelSettings, ProviderKind, Question, Spent};
use serde_json::{Value, json};

const SECRET: &str = "sk-a-key-of-nobody";

/// What the server does with one request.
#[derive(Debug, Clone)]
enum Play {
    Say(u16, Value),
    Raw(u16, &'static str),
    Wait(Duration),
    Busy(&'static str),
    Elsewhere,
}

#[derive(Debug, Default)]
struct Stage {
    plays: Mutex<VecDeque<Play>>,
    heard: Mutex<Vec<(String, HeaderMap, Value)>>,
}

/// A server that plays, then answers 500.
struct Server {
    url: String,
    stage: Arc<Stage>,
}

impl Server {
    async fn start(plays: impl IntoIterator<Item = Play>) -> Self {
        let stage = Arc::new(Stage { plays: Mutex::new(plays.into_iter().collect()), ..Stage::default() });
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let router = Router::new().fallback(answer).with_state(Arc::clone(&stage));
        tokio::spawn(axum::serve(listener, router).into_future());
        Self { url, stage }
    }

    fn heard(&self) -> Vec<(String, HeaderMap, Value)> {
        self.stage.heard.lock().expect("a list").clone()
    }

    async fn ask(&self, kind: ProviderKind, patience: Duration) -> Answered {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("key");
        std::fs::write(&file, SECRET).expect("written");
        restrict(&file);
        let url = match kind {
            ProviderKind::Anthropic => self.url.clone(),
            ProviderKind::OpenaiCompatible => format!("{}/v1", self.url),
        };
        let settings = ModelSettings {
            kind,
            url: Some(url),
            model: "small".into(),
            key: KeySource::File(file),
            home: None,
        };
        remora_provider::open(&settings).expect("a client").ask(&question(patience)).await
    }
}

fn restrict(file: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).expect("a mode");
}

async fn answer(State(stage): State<Arc<Stage>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let body = serde_json::from_slice(&body).unwrap_or_default();
    stage.heard.lock().expect("a list").push((uri.path().to_owned(), headers, body));
    let play = stage.plays.lock().expect("a list").pop_front();
    match play {
        Some(Play::Say(status, value)) => (status_of(status), axum::Json(value)).into_response(),
        Some(Play::Raw(status, text)) => (status_of(status), text).into_response(),
        Some(Play::Wait(time)) => {
            tokio::time::sleep(time).await;
            StatusCode::OK.into_response()
        }
        Some(Play::Busy(seconds)) => {
            (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, seconds)], "{}").into_response()
        }
        Some(Play::Elsewhere) => (StatusCode::FOUND, [(header::LOCATION, "/stolen")], "").into_response(),
        None => (StatusCode::INTERNAL_SERVER_ERROR, "{\"error\": {\"message\": \"over\"}}").into_response(),
    }
}

fn status_of(status: u16) -> StatusCode {
    StatusCode::from_u16(status).expect("a status")
}

fn question(patience: Duration) -> Question {
    Question {
        instructions: "Choose.".into(),
        material: "a.md\nb.md".into(),
        request: "Which?".into(),
        answer: "choose",
        schema: json!({
            "type": "object", "required": ["files"], "additionalProperties": false,
            "properties": {"files": {"type": "array", "items": {"type": "string"}}},
        }),
        most_tokens: 50,
        patience,
    }
}

const AT_EASE: Duration = Duration::from_secs(30);

fn anthropic(content: &Value) -> Play {
    let usage = json!({"input_tokens": 7, "cache_read_input_tokens": 100, "output_tokens": 3});
    Play::Say(200, json!({"content": content, "usage": usage}))
}

fn chat(content: &str) -> Play {
    let usage = json!({"prompt_tokens": 11, "completion_tokens": 2});
    Play::Say(
        200,
        json!({"choices": [{"message": {"role": "assistant", "content": content}}], "usage": usage}),
    )
}

#[tokio::test]
async fn anthropic_is_asked_with_a_tool_that_it_must_call() {
    let called = json!([{"type": "tool_use", "id": "t", "name": "choose", "input": {"files": ["a.md"]}}]);
    let server = Server::start([anthropic(&called)]).await;
    let answered = server.ask(ProviderKind::Anthropic, AT_EASE).await;
    assert_eq!(
        answered,
        Answered { answer: Ok(json!({"files": ["a.md"]})), spent: Spent { input: 107, output: 3 } }
    );
    let heard = server.heard();
    let (path, headers, body) = &heard[0];
    assert_eq!(path, "/v1/messages");
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    assert_eq!((header("x-api-key"), header("anthropic-version")), (Some(SECRET), Some("2023-06-01")));
    insta::assert_json_snapshot!(body, @r#"
    {
      "model": "small",
      "max_tokens": 50,
      "system": [
        {
          "type": "text",
          "text": "Choose."
        },
        {
          "type": "text",
          "text": "a.md\nb.md",
          "cache_control": {
            "type": "ephemeral"
          }
        }
      ],
      "messages": [
        {
          "role": "user",
          "content": "Which?"
        }
      ],
      "tools": [
        {
          "name": "choose",
          "description": "Takes the answer.",
          "input_schema": {
            "type": "object",
            "required": [
              "files"
            ],
            "additionalProperties": false,
            "properties": {
              "files": {
                "type": "array",
                "items": {
                  "type": "string"
                }
              }
            }
          }
        }
      ],
      "tool_choice": {
        "type": "tool",
        "name": "choose"
      }
    }
    "#);
}

#[tokio::test]
async fn chat_completions_are_held_to_the_schema() {
    let server = Server::start([chat("{\"files\": [\"b.md\"]}")]).await;
    let answered = server.ask(ProviderKind::OpenaiCompatible, AT_EASE).await;
    assert_eq!(
        answered,
        Answered { answer: Ok(json!({"files": ["b.md"]})), spent: Spent { input: 11, output: 2 } }
    );
    let heard = server.heard();
    let (path, headers, body) = &heard[0];
    assert_eq!(path, "/v1/chat/completions");
    let key = headers.get("authorization").and_then(|value| value.to_str().ok());
    assert_eq!(key, Some(format!("Bearer {SECRET}").as_str()));
    insta::assert_json_snapshot!(body, @r#"
    {
      "model": "small",
      "messages": [
        {
          "role": "system",
          "content": "Choose.\n\na.md\nb.md"
        },
        {
          "role": "user",
          "content": "Which?"
        }
      ],
      "max_tokens": 50,
      "response_format": {
        "type": "json_schema",
        "json_schema": {
          "name": "choose",
          "strict": true,
          "schema": {
            "type": "object",
            "required": [
              "files"
            ],
            "additionalProperties": false,
            "properties": {
              "files": {
                "type": "array",
                "items": {
                  "type": "string"
                }
              }
            }
          }
        }
      }
    }
    "#);
}

#[tokio::test]
async fn what_a_server_does_not_take_is_left_out() {
    let refused = |message: &str| Play::Say(400, json!({"error": {"message": message}}));
    let server = Server::start([
        refused("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        refused("response_format of type json_schema is not supported"),
        chat("Here you are:\n```json\n{\"files\": []}\n```"),
    ])
    .await;
    let answered = server.ask(ProviderKind::OpenaiCompatible, AT_EASE).await;
    assert_eq!(answered.answer, Ok(json!({"files": []})));
    let heard = server.heard();
    let last = &heard[2].2;
    assert_eq!((&last["max_completion_tokens"], &last["max_tokens"]), (&json!(50), &Value::Null));
    assert_eq!(last["response_format"], Value::Null);
    let told = last["messages"][0]["content"].as_str().expect("text");
    assert!(told.contains("must fit this JSON schema: {\"type\":\"object\""), "{told}");
}

#[tokio::test]
async fn a_busy_provider_is_tried_again_and_a_broken_one_only_so_often() {
    let good = json!([{"type": "text", "text": "{\"files\": []}"}]);
    let server = Server::start([Play::Busy("0.01"), Play::Raw(529, "overloaded"), anthropic(&good)]).await;
    assert_eq!(server.ask(ProviderKind::Anthropic, AT_EASE).await.answer, Ok(json!({"files": []})));
    assert_eq!(server.heard().len(), 3);

    let server = Server::start([]).await;
    let answered = server.ask(ProviderKind::Anthropic, AT_EASE).await;
    assert_eq!(answered.answer, Err(ModelError::Refused { status: 500, message: "over".into() }));
    assert_eq!(server.heard().len(), 3);

    let server = Server::start([Play::Busy("3600")]).await;
    let answered = server.ask(ProviderKind::Anthropic, AT_EASE).await;
    assert_eq!(answered.answer, Err(ModelError::Refused { status: 429, message: "{}".into() }));
    assert_eq!(server.heard().len(), 1, "nobody waits for an hour");
}

#[tokio::test]
async fn what_is_of_no_use_is_said_and_counted() {
    let text = |text: &str| anthropic(&json!([{"type": "text", "text": text}]));
    let wrong = json!([{"type": "tool_use", "id": "t", "name": "choose", "input": {"files": "a.md"}}]);
    for (play, said, input) in [
        (text("I would choose a.md, since it fits."), "there is no JSON object in it", 107),
        (text(""), "there is no JSON object in it", 107),
        (text("{\"chosen\": []}"), "the answer has no \"files\"", 107),
        (anthropic(&wrong), "\"files\" is not of type array", 107),
        (Play::Raw(200, "<html>"), "it is no JSON document: expected value at line 1 column 1", 0),
    ] {
        let server = Server::start([play.clone()]).await;
        let answered = server.ask(ProviderKind::Anthropic, AT_EASE).await;
        assert_eq!(answered.answer, Err(ModelError::Useless(said.into())), "{play:?}");
        assert_eq!((answered.spent.input, server.heard().len()), (input, 1), "{play:?}");
    }
}

#[tokio::test]
async fn a_key_that_is_not_taken_is_read_again_once_and_never_repeated() {
    let message = format!("Incorrect API key provided: {SECRET}");
    let refused = || Play::Say(401, json!({"error": {"message": message}}));
    let server = Server::start([refused(), refused(), refused()]).await;
    let answered = server.ask(ProviderKind::OpenaiCompatible, AT_EASE).await;
    assert_eq!(answered.answer, Err(ModelError::Key("the provider does not take the key (401)".into())));
    assert_eq!(server.heard().len(), 2);
    assert!(!format!("{answered:?}").contains(SECRET));
}

#[tokio::test]
async fn nobody_is_followed_elsewhere_with_the_key() {
    let server = Server::start([Play::Elsewhere]).await;
    let answered = server.ask(ProviderKind::Anthropic, AT_EASE).await;
    assert!(matches!(answered.answer, Err(ModelError::Refused { status: 302, .. })), "{answered:?}");
    assert_eq!(server.heard().len(), 1);
}

#[tokio::test]
async fn patience_ends() {
    let server = Server::start([Play::Wait(Duration::from_mins(5))]).await;
    let patience = Duration::from_millis(50);
    let answered = server.ask(ProviderKind::Anthropic, patience).await;
    assert_eq!(answered.answer, Err(ModelError::Late(patience)));
}

#[tokio::test]
async fn nobody_at_home_is_said() {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let server = Server {
        url: format!("http://{}", listener.local_addr().expect("an address")),
        stage: Arc::default(),
    };
    drop(listener);
    let answered = server.ask(ProviderKind::OpenaiCompatible, AT_EASE).await;
    assert!(matches!(answered.answer, Err(ModelError::Unreachable(_))), "{answered:?}");
}

/// Run again by the test below, in an environment full of traps.
#[tokio::test]
#[ignore = "plays a part in another test"]
async fn asks_whom_it_is_told_to() {
    let server = Server::start([chat("{\"files\": []}")]).await;
    let answered = server.ask(ProviderKind::OpenaiCompatible, AT_EASE).await;
    assert_eq!(answered.answer, Ok(json!({"files": []})));
}

#[test]
fn no_variable_of_the_environment_leads_elsewhere() {
    let own = std::env::current_exe().expect("this program");
    let trap = "http://127.0.0.1:9";
    let names = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
    let addresses = ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_BASE"];
    let keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"];
    let done = std::process::Command::new(own)
        .args(["--ignored", "--exact", "asks_whom_it_is_told_to"])
        .envs(names.into_iter().chain(addresses).map(|name| (name, trap)))
        .envs(keys.map(|name| (name, "sk-of-the-environment")))
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
}
