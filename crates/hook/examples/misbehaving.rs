//! A hook that does what its payload tells it: what a real one must never do, to see that it is survived.

use remora_event::{Event, EventKind, Reply, Want};
use remora_hook::{Hook, Payload};

static HOOK: Hook = Hook {
    adapter: "misbehaving",
    event: EventKind::Stop,
    parse,
    render,
    neutral: Some("{\"neutral\":true}\n"),
    deadline_ms: 150,
    want: Want::Ack,
    budget: None,
    late: false,
    elsewhere: &[],
};

fn main() {
    remora_hook::run(&HOOK, remora_hook::build_from("0.1.0", "1", "example"))
}

fn parse(kind: EventKind, payload: &mut Payload) -> Option<Event> {
    match payload.text("do").as_deref() {
        Some("panic") => panic!("the payload said so: {}", payload.text("secret").unwrap_or_default()),
        Some("hang") => std::thread::sleep(std::time::Duration::from_hours(1)),
        Some("nothing") => return None,
        _ => {}
    }
    let text = |key| payload.text(key).unwrap_or_default();
    let mut event =
        Event::new(kind, String::new(), HOOK.adapter, text("session"), text("cwd"), String::new());
    event.message = payload.text("message");
    Some(event)
}

fn render(_reply: &Reply, _event: &Event) -> Option<String> {
    None
}
