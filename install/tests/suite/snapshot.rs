//! What people and hosts see.

#![expect(clippy::too_many_lines, reason = "a snapshot is as long as what is seen")]

use std::fs;

use crate::world::World;

#[test]
fn a_fresh_settings_file() {
    let world = World::with_root("r");
    world.install();
    let text = fs::read_to_string(world.settings()).expect("the settings");
    insta::assert_snapshot!(world.plain(&text), @r#"
    {
      "hooks": {
        "SessionStart": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/r/bin/claude-code/session-start",
                "args": ["--root", "/r"],
                "timeout": 10
              }
            ]
          }
        ],
        "UserPromptSubmit": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/r/bin/claude-code/user-prompt-submit",
                "args": ["--root", "/r"],
                "timeout": 5
              }
            ]
          }
        ],
        "SubagentStart": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/r/bin/claude-code/subagent-start",
                "args": ["--root", "/r"],
                "timeout": 5
              }
            ]
          }
        ],
        "PreToolUse": [
          {
            "matcher": "^mcp__([^r]|r[^e]|re[^m]|rem[^o]|remo[^r]|remor[^a]|remora[^_]).*__memory(_search)?$",
            "hooks": [
              {
                "type": "command",
                "command": "/r/bin/claude-code/pre-tool-use",
                "args": ["--root", "/r"],
                "timeout": 5
              }
            ]
          }
        ],
        "PostToolUse": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/r/bin/claude-code/post-tool-use",
                "args": ["--root", "/r"],
                "timeout": 5
              }
            ]
          }
        ],
        "PostToolUseFailure": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/r/bin/claude-code/post-tool-use-failure",
                "args": ["--root", "/r"],
                "timeout": 5
              }
            ]
          }
        ],
        "SubagentStop": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/r/bin/claude-code/subagent-stop",
                "args": ["--root", "/r"],
                "timeout": 5
              }
            ]
          }
        ],
        "PreCompact": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/r/bin/claude-code/pre-compact",
                "args": ["--root", "/r"],
                "timeout": 5
              }
            ]
          }
        ],
        "PostCompact": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/r/bin/claude-code/post-compact",
                "args": ["--root", "/r"],
                "timeout": 5
              }
            ]
          }
        ],
        "Stop": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/r/bin/claude-code/stop",
                "args": ["--root", "/r"],
                "timeout": 5
              }
            ]
          }
        ],
        "SessionEnd": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/r/bin/claude-code/session-end",
                "args": ["--root", "/r"],
                "timeout": 5
              }
            ]
          }
        ]
      }
    }
    "#);
}

#[test]
fn a_dry_run_shows_the_edit() {
    let world = World::with_root("r");
    World::write(
        &world.settings(),
        "{\n    \"model\": \"opus\",\n    \"hooks\": {\n        \"Stop\": [\n            {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\n        ]\n    }\n}\n",
    );
    let plan = world.plan().expect("a plan");
    insta::assert_snapshot!(world.plain(&plan.diff()), @r#"
    create /r/root.toml
    create /r/install.json
    --- /home/.claude/settings.json
    +++ /home/.claude/settings.json
    @@ -2,7 +2,138 @@
         "model": "opus",
         "hooks": {
             "Stop": [
    -            {"hooks": [{"type": "command", "command": "say done"}]}
    +            {"hooks": [{"type": "command", "command": "say done"}]},
    +            {
    +                "hooks": [
    +                    {
    +                        "type": "command",
    +                        "command": "/r/bin/claude-code/stop",
    +                        "args": ["--root", "/r"],
    +                        "timeout": 5
    +                    }
    +                ]
    +            }
    +        ],
    +        "SessionStart": [
    +            {
    +                "hooks": [
    +                    {
    +                        "type": "command",
    +                        "command": "/r/bin/claude-code/session-start",
    +                        "args": ["--root", "/r"],
    +                        "timeout": 10
    +                    }
    +                ]
    +            }
    +        ],
    +        "UserPromptSubmit": [
    +            {
    +                "hooks": [
    +                    {
    +                        "type": "command",
    +                        "command": "/r/bin/claude-code/user-prompt-submit",
    +                        "args": ["--root", "/r"],
    +                        "timeout": 5
    +                    }
    +                ]
    +            }
    +        ],
    +        "SubagentStart": [
    +            {
    +                "hooks": [
    +                    {
    +                        "type": "command",
    +                        "command": "/r/bin/claude-code/subagent-start",
    +                        "args": ["--root", "/r"],
    +                        "timeout": 5
    +                    }
    +                ]
    +            }
    +        ],
    +        "PreToolUse": [
    +            {
    +                "matcher": "^mcp__([^r]|r[^e]|re[^m]|rem[^o]|remo[^r]|remor[^a]|remora[^_]).*__memory(_search)?$",
    +                "hooks": [
    +                    {
    +                        "type": "command",
    +                        "command": "/r/bin/claude-code/pre-tool-use",
    +                        "args": ["--root", "/r"],
    +                        "timeout": 5
    +                    }
    +                ]
    +            }
    +        ],
    +        "PostToolUse": [
    +            {
    +                "hooks": [
    +                    {
    +                        "type": "command",
    +                        "command": "/r/bin/claude-code/post-tool-use",
    +                        "args": ["--root", "/r"],
    +                        "timeout": 5
    +                    }
    +                ]
    +            }
    +        ],
    +        "PostToolUseFailure": [
    +            {
    +                "hooks": [
    +                    {
    +                        "type": "command",
    +                        "command": "/r/bin/claude-code/post-tool-use-failure",
    +                        "args": ["--root", "/r"],
    +                        "timeout": 5
    +                    }
    +                ]
    +            }
    +        ],
    +        "SubagentStop": [
    +            {
    +                "hooks": [
    +                    {
    +                        "type": "command",
    +                        "command": "/r/bin/claude-code/subagent-stop",
    +                        "args": ["--root", "/r"],
    +                        "timeout": 5
    +                    }
    +                ]
    +            }
    +        ],
    +        "PreCompact": [
    +            {
    +                "hooks": [
    +                    {
    +                        "type": "command",
    +                        "command": "/r/bin/claude-code/pre-compact",
    +                        "args": ["--root", "/r"],
    +                        "timeout": 5
    +                    }
    +                ]
    +            }
    +        ],
    +        "PostCompact": [
    +            {
    +                "hooks": [
    +                    {
    +                        "type": "command",
    +                        "command": "/r/bin/claude-code/post-compact",
    +                        "args": ["--root", "/r"],
    +                        "timeout": 5
    +                    }
    +                ]
    +            }
    +        ],
    +        "SessionEnd": [
    +            {
    +                "hooks": [
    +                    {
    +                        "type": "command",
    +                        "command": "/r/bin/claude-code/session-end",
    +                        "args": ["--root", "/r"],
    +                        "timeout": 5
    +                    }
    +                ]
    +            }
             ]
         }
     }
    "#);
    let notes: Vec<_> = plan.notes().iter().map(|note| format!("{}: {}", note.host, note.text)).collect();
    insta::assert_snapshot!(notes.join("\n"), @r#"
    claude-code: memory begins with the next session that you start
    claude-code: in a folder that you have not trusted yet Claude Code runs no hooks until you do
    "#);
}

#[test]
fn the_record_of_an_installation() {
    let world = World::with_root("r");
    World::write(&world.settings(), "{}\n");
    world.install();
    let mut manifest = world.manifest();
    manifest.files[0].entries.truncate(1);
    let text = serde_json::to_string_pretty(&manifest).expect("JSON");
    insta::with_settings!({filters => vec![("sha256:[0-9a-f]{64}", "sha256:…")]}, {
        insta::assert_snapshot!(world.plain(&text), @r#"
        {
          "format": 1,
          "program": "0.1.0",
          "files": [
            {
              "host": "claude-code",
              "path": "/home/.claude/settings.json",
              "before": {
                "state": "kept",
                "digest": "sha256:…",
                "backup": "backups/config/20251124T160000Z-claude-code-settings.json"
              },
              "after": "sha256:…",
              "entries": [
                {
                  "kind": "hook",
                  "event": "SessionStart",
                  "command": "/r/bin/claude-code/session-start",
                  "args": [
                    "--root",
                    "/r"
                  ],
                  "executable": "/r/bin/claude-code/session-start"
                }
              ]
            }
          ]
        }
        "#);
    });
    let text = fs::read_to_string(world.installation.root_toml()).expect("root.toml");
    insta::assert_snapshot!(world.plain(&text), @r#"
    home = "/home"
    config = "/home/.config/remora/config.toml"
    profiles = "/home/.config/remora/hosts"
    "#);
}
