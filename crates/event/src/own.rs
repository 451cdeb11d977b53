//! Remora's own tools, as hosts spell their names: memory must not eat its own words.

/// The name that Remora's own MCP server is registered under.
pub const OWN_SERVER: &str = "remora";

/// The tools of that server.
pub const OWN_TOOLS: [&str; 7] = [
    "memory_search",
    "memory_timeline",
    "memory_get",
    "memory_save",
    "memory_log",
    "memory_forget",
    "work_state",
];

/// What hosts put between the names of a server and a tool.
const BETWEEN: [char; 5] = ['_', '-', '.', '/', ':'];

/// Whether a tool is one of Remora's own, whatever the host makes of its name: `mcp__remora__memory_get`,
/// `mcp__plugin_<plugin>_remora__memory_get`, `mcp_remora_memory_get`, `remora-memory_get`. A name that does not say
/// whose tool it is, is nobody's.
pub fn is_own_tool(name: &str) -> bool {
    let server_of = |tool: &&str| {
        let before = name.strip_suffix(*tool)?;
        let server = before.trim_end_matches(BETWEEN);
        let of_mcp = server.strip_prefix("mcp").filter(|rest| rest.starts_with(BETWEEN));
        (server.len() < before.len()).then(|| of_mcp.unwrap_or(server).trim_start_matches(BETWEEN))
    };
    OWN_TOOLS.iter().filter_map(server_of).any(is_own_server)
}

/// Whether a server is Remora's own, also when a plugin brought it: `plugin_<plugin>_remora`.
pub fn is_own_server(server: &str) -> bool {
    let of_plugin = || server.strip_prefix("plugin_")?.strip_suffix(OWN_SERVER)?.strip_suffix('_');
    server == OWN_SERVER || of_plugin().is_some_and(|plugin| !plugin.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_tools_are_known_however_a_host_spells_them() {
        for (name, own) in [
            ("mcp__remora__memory_get", true),
            ("mcp__plugin_memory_remora__memory_get", true),
            ("mcp__plugin_a_b_remora__work_state", true),
            ("mcp_remora_memory_save", true),
            ("remora-memory_search", true),
            ("remora-work_state", true),
            ("remora_memory_timeline", true),
            ("remora/memory_forget", true),
            ("mcp.remora.memory_log", true),
            // Somebody else's.
            ("memory_search", false),
            ("MCP:memory_search", false),
            ("mcp__memory_search", false),
            ("mcp__notes__memory_search", false),
            ("mcp__remorae__memory_get", false),
            ("mcp__remora_evil__memory_search", false),
            ("mcp__evil__remora__memory_search", false),
            ("mcp__plugin__remora__memory_get", false),
            ("mcp__plugin_x_remora_evil__memory_get", false),
            ("mcp__remora__my_memory_search", false),
            ("mcp__remora__run", false),
            ("mcpremora_memory_get", false),
            ("remoramemory_get", false),
            ("Bash", false),
            ("", false),
            ("端口", false),
        ] {
            assert_eq!(is_own_tool(name), own, "{name}");
        }
    }
}
