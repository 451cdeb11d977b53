//! `remora mcp`: memory for a coding agent, over MCP on standard input and output.
//!
//! A client of the engine like every command: it opens no file of memory or journal itself. It answers what a
//! host asks first without the engine, which it starts meanwhile, and asks over a new connection each time, so
//! that an engine that was restarted or replaced makes no difference.

mod answer;
mod fields;
mod forget;
mod get;
mod link;
mod prompt;
mod save;
mod search;
mod server;
mod timeline;
mod tools;
mod work;
mod workspace;

use std::path::PathBuf;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio_pipes;

use crate::failure::Failure;
use crate::places::Places;
use server::Server;
use workspace::Workspace;

/// Serves until the host closes standard input.
pub(crate) fn run(places: Places, project: Option<PathBuf>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let workspace = Workspace::new(project, places.home.as_deref());
    let server = if remora_hook::switched_off() { Server::silent() } else { Server::new(places, workspace) };
    let outcome = runtime.block_on(serve(server));
    // What is still being asked of the engine is nobody's answer any more.
    runtime.shutdown_background();
    outcome
}

async fn serve(server: Server) -> Result<(), Failure> {
    server.wake_engine();
    let failed = |error: &dyn std::fmt::Display| {
        Failure::new("mcp", format!("the conversation over MCP failed: {error}"), "the host's log says more")
    };
    let running = match server.serve(stdio_pipes()).await {
        Ok(running) => running,
        // A host that looked whether the program is there.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(failed(&error)),
    };
    running.waiting().await.map(|_| ()).map_err(|error| failed(&error))
}
