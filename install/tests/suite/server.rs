//! Our MCP server among others.

use std::fs;

use remora_install::{McpServer, Options, plan_install};

use crate::world::{World, hosts, parse};

#[test]
fn an_mcp_server_is_registered_only_when_asked_and_goes_again() {
    let world = World::new();
    let state = world.home(".claude.json");
    let text = "{\"numStartups\":12,\"projects\":{\"/x\":{\"mcpServers\":{}}},\"mcpServers\":{\"other\":{\"command\":\"o\"}}}";
    World::write(&state, text);
    world.install();
    assert_eq!(fs::read_to_string(&state).expect("the state"), text);

    let server = McpServer { command: world.installation.command(), args: vec!["mcp".into()] };
    let options = Options { mcp: Some(server), ..Options::default() };
    world.install_with(&options);
    let value = parse(&fs::read_to_string(&state).expect("the state"));
    assert_eq!(value["mcpServers"]["remora"]["args"], serde_json::json!(["mcp"]));
    assert_eq!(value["mcpServers"]["other"]["command"], "o");
    assert_eq!(value["projects"]["/x"]["mcpServers"], serde_json::json!({}));

    // The host writes its file all the time.
    let written = fs::read_to_string(&state).expect("the state").replacen("12", "13", 1);
    fs::write(&state, written).expect("the state");
    world.uninstall();
    assert_eq!(fs::read_to_string(&state).expect("the state"), text.replacen("12", "13", 1));
}

#[test]
fn another_server_of_our_name_is_left_alone() {
    let world = World::new();
    let text = "{\"mcpServers\": {\"remora\": {\"command\": \"/usr/bin/other-remora\"}}}";
    World::write(&world.home(".claude.json"), text);
    let server = McpServer { command: world.installation.command(), args: vec![] };
    let options = Options { mcp: Some(server), ..Options::default() };
    let plan = plan_install(&world.environment, &world.installation, &hosts(), &options).expect("a plan");
    assert!(plan.notes().iter().any(|note| note.text.contains("another MCP server called remora")));
    world.install_with(&options);
    world.uninstall();
    assert_eq!(fs::read_to_string(world.home(".claude.json")).expect("the state"), text);
}
