//! Frames on the local socket: a u32 big-endian length, then one UTF-8 JSON object with the key `type`.
//!
//! `hello` never changes its shape: it is what an old hook and a new engine agree on before anything else.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{ErrorBody, Event, Reply};

/// The protocol versions that this build speaks, oldest and newest.
///
/// Version 1: `hello`, `event`, `shown`, `command`.
pub const PROTOCOL: ProtocolRange = ProtocolRange { min: 1, max: 1 };

/// Frames over this many bytes are refused.
pub const MAX_FRAME: usize = 64 * 1024 * 1024;

/// A range of protocol versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProtocolRange {
    /// The oldest version spoken.
    pub min: u32,
    /// The newest version spoken.
    pub max: u32,
}

impl ProtocolRange {
    /// The newest version that both sides speak.
    pub fn common(self, other: Self) -> Option<u32> {
        let newest = self.max.min(other.max);
        (newest >= self.min && newest >= other.min).then_some(newest)
    }
}

/// Which build a program is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The package version, `major.minor.patch`.
    pub version: String,
    /// When its newest source file was written, in seconds since 1970.
    pub built_at: u64,
    /// A hash of the sources and the lock file.
    pub id: String,
}

impl Build {
    /// Whether this build is newer than `other`: by version, then by time. The same sources make the same
    /// build, whenever they were written to the disk.
    pub fn is_newer_than(&self, other: &Self) -> bool {
        self.id != other.id
            && (version_triple(&self.version), self.built_at)
                > (version_triple(&other.version), other.built_at)
    }
}

fn version_triple(version: &str) -> (u64, u64, u64) {
    let mut parts = version.split(['.', '-', '+']).map(|p| p.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

/// What both sides say first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The protocol versions the sender speaks.
    pub protocol: ProtocolRange,
    /// Which build the sender is.
    pub build: Build,
    /// Said by an engine that is handing over to a newer build: it takes no more requests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leaving: bool,
    /// The engine's process id, said by the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
}

/// A command that a person typed, or that an MCP client asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Command {
    /// The command's name, for example `recall`.
    pub name: String,
    /// Its arguments, one object.
    #[serde(default)]
    pub args: Value,
    /// The directory that the person stands in or named with `--project`; absolute. Absent: no project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// `REMORA_MEMORY_DIR` of the person's shell. It holds for this request alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_dir: Option<String>,
}

/// What travels to the engine. `shown` gets no reply, everything else exactly one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    /// Introduces the sender.
    Hello(Hello),
    /// One moment of a session.
    Event(Box<Event>),
    /// The host was given this injection.
    Shown {
        /// The id from [`Reply::injection`].
        id: String,
    },
    /// One command.
    Command(Command),
}

/// What travels back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Response {
    /// Introduces the engine.
    Hello(Hello),
    /// The answer to an event.
    Reply(Reply),
    /// The answer to a command.
    Result {
        /// The command's documented JSON shape.
        value: Value,
    },
    /// The request could not be answered.
    Error {
        /// What went wrong and what to do next.
        error: ErrorBody,
    },
}

impl Response {
    /// Reads a response from its JSON by hand. Hooks use this: the derived reader, with what it needs to
    /// word its errors, would be a tenth of their size. Optional fields of another type count as absent.
    pub fn from_fields(mut fields: Map<String, Value>) -> Option<Self> {
        let kind = text(&mut fields, "type")?;
        match kind.as_str() {
            "hello" => Some(Self::Hello(Hello {
                protocol: {
                    let range = fields.get("protocol")?;
                    ProtocolRange { min: version(range.get("min")?)?, max: version(range.get("max")?)? }
                },
                build: {
                    let mut build = object(&mut fields, "build")?;
                    Build {
                        version: text(&mut build, "version")?,
                        built_at: build.get("built_at")?.as_u64()?,
                        id: text(&mut build, "id")?,
                    }
                },
                leaving: fields.get("leaving").and_then(Value::as_bool).unwrap_or(false),
                pid: fields.get("pid").and_then(version),
            })),
            "reply" => Some(Self::Reply(Reply {
                context: text(&mut fields, "context"),
                notice: text(&mut fields, "notice"),
                injection: text(&mut fields, "injection"),
                understood: fields.get("understood").and_then(version),
                more: fields.get_mut("more").map(Value::take).unwrap_or_default(),
            })),
            "result" => Some(Self::Result { value: fields.get_mut("value")?.take() }),
            "error" => {
                let mut error = object(&mut fields, "error")?;
                let (kind, message) = (text(&mut error, "kind")?, text(&mut error, "message")?);
                Some(Self::Error { error: ErrorBody { kind, message, hint: text(&mut error, "hint") } })
            }
            _ => None,
        }
    }
}

fn text(fields: &mut Map<String, Value>, key: &str) -> Option<String> {
    match fields.get_mut(key)?.take() {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn object(fields: &mut Map<String, Value>, key: &str) -> Option<Map<String, Value>> {
    match fields.get_mut(key)?.take() {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

fn version(value: &Value) -> Option<u32> {
    value.as_u64()?.try_into().ok()
}

/// Why a frame could not be made or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameError {
    /// The frame is larger than [`MAX_FRAME`].
    TooLarge(usize),
    /// The value could not be written as JSON.
    NotJson(String),
}

impl std::fmt::Display for FrameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooLarge(bytes) => write!(f, "a frame of {bytes} bytes is over the limit of {MAX_FRAME}"),
            Self::NotJson(problem) => write!(f, "the message is not JSON: {problem}"),
        }
    }
}

impl std::error::Error for FrameError {}

/// One message as a frame, ready to be written.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, FrameError> {
    let mut frame = vec![0; 4];
    serde_json::to_writer(&mut frame, message).map_err(|e| FrameError::NotJson(e.to_string()))?;
    let length = frame.len() - 4;
    if length > MAX_FRAME {
        return Err(FrameError::TooLarge(length));
    }
    let length = u32::try_from(length).map_err(|_| FrameError::TooLarge(length))?;
    frame[..4].copy_from_slice(&length.to_be_bytes());
    Ok(frame)
}

/// The length that a frame's first four bytes announce, refused when it is over the limit.
pub fn announced_length(head: [u8; 4]) -> Result<usize, FrameError> {
    let length = u32::from_be_bytes(head) as usize;
    if length > MAX_FRAME { Err(FrameError::TooLarge(length)) } else { Ok(length) }
}

/// Reads one frame's JSON.
pub fn decode<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<T, FrameError> {
    serde_json::from_slice(json).map_err(|e| FrameError::NotJson(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(version: &str, built_at: u64) -> Build {
        Build { version: version.into(), built_at, id: format!("{version} {built_at}") }
    }

    #[test]
    fn a_build_is_newer_by_version_then_by_time() {
        assert!(build("0.10.0", 1).is_newer_than(&build("0.9.9", 9)));
        assert!(build("1.0.0", 2).is_newer_than(&build("1.0.0", 1)));
        assert!(!build("1.0.0", 1).is_newer_than(&build("1.0.0", 1)));
        assert!(!build("garbage", 1).is_newer_than(&build("0.0.1", 1)));
        let checked_out_again = Build { built_at: 2, ..build("1.0.0", 1) };
        assert!(!checked_out_again.is_newer_than(&build("1.0.0", 1)));
    }

    #[test]
    fn protocol_ranges_meet_at_the_newest_common_version() {
        let range = |min, max| ProtocolRange { min, max };
        assert_eq!(range(1, 3).common(range(2, 9)), Some(3));
        assert_eq!(range(1, 1).common(range(2, 3)), None);
    }

    #[test]
    fn a_frame_says_its_length_and_reads_back() {
        let frame = encode(&Request::Shown { id: "ü".into() }).expect("a small frame");
        let head: [u8; 4] = frame[..4].try_into().expect("four bytes");
        assert_eq!(announced_length(head), Ok(frame.len() - 4));
        assert_eq!(decode::<Request>(&frame[4..]), Ok(Request::Shown { id: "ü".into() }));
    }

    fn by_hand(json: &str) -> Option<Response> {
        Response::from_fields(serde_json::from_str::<Map<String, Value>>(json).expect("an object"))
    }

    #[test]
    fn responses_are_read_by_hand_as_they_are_by_derivation() {
        let error = ErrorBody { kind: "io".into(), message: "m".into(), hint: Some("h".into()) };
        for response in [
            Response::Hello(Hello {
                protocol: PROTOCOL,
                build: build("1.2.3", 9),
                leaving: true,
                pid: Some(7),
            }),
            Response::Hello(Hello { protocol: PROTOCOL, build: build("", 0), leaving: false, pid: None }),
            Response::Reply(Reply::default()),
            Response::Reply(Reply {
                context: Some("c\n中".into()),
                notice: Some("n".into()),
                injection: Some("i".into()),
                understood: Some(1),
                more: serde_json::json!({"a": [1]}),
            }),
            Response::Result { value: serde_json::json!([{"name": "x"}]) },
            Response::Result { value: Value::Null },
            Response::Error { error: ErrorBody { hint: None, ..error.clone() } },
            Response::Error { error },
        ] {
            let json = serde_json::to_string(&response).expect("JSON");
            assert_eq!(serde_json::from_str::<Response>(&json).expect("derived"), response, "{json}");
            assert_eq!(by_hand(&json), Some(response), "{json}");
        }
    }

    #[test]
    fn what_is_no_response_is_read_as_none() {
        for json in [
            "{}",
            r#"{"type":"surprise"}"#,
            r#"{"type":1}"#,
            r#"{"type":"hello"}"#,
            r#"{"type":"hello","protocol":{"min":1,"max":-1},"build":{"version":"","built_at":1,"id":""}}"#,
            r#"{"type":"error","error":"x"}"#,
            r#"{"type":"result"}"#,
        ] {
            assert_eq!(by_hand(json), None, "{json}");
        }
    }

    #[test]
    fn a_huge_announcement_is_refused_before_anything_is_allocated() {
        assert!(matches!(announced_length(u32::MAX.to_be_bytes()), Err(FrameError::TooLarge(_))));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            let _ = decode::<Request>(&bytes);
            let _ = decode::<Response>(&bytes);
        }
    }
}
