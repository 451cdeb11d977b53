//! The whole-system tests, one binary: each file here is a module of it.

mod codex_trust;
mod durability;
mod fake_model;
mod first_event;
mod found_again;
mod gemini_start;
mod hostile_input;
mod house;
mod installed;
mod installing;
mod mcp;
mod mcp_calls;
mod mcp_claude_code;
mod mcp_engine;
mod mcp_hosts;
mod mcp_python;
mod nothing_hurts;
mod own_words;
mod real_claude_code;
mod real_codex_and_gemini;
mod real_hosts;
mod real_tools;
mod remembers;
mod surroundings;
mod two_users;
mod wiring;
