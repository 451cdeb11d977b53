//! Hooks of one project, and the choice about Claude Code's memory.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use remora_install::host::claude_code;
use remora_install::{ClaudeMemory, Error, Options, Scope, install, plan_install};

use crate::world::{World, hosts};

fn in_project(world: &World) -> (PathBuf, Options) {
    let project = world.home("work/project");
    fs::create_dir_all(&project).expect("a project");
    (project.clone(), Options { scope: Scope::Project(project), ..Options::default() })
}

#[test]
fn a_project_gets_hooks_in_the_file_that_is_the_persons_own() {
    let world = World::new();
    let (project, options) = in_project(&world);
    world.install_with(&options);
    assert!(project.join(".claude/settings.local.json").is_file());
    assert!(!world.settings().exists());
    // Copilot CLI reads this file too, and denies a tool whose hook before it fails.
    let text = fs::read_to_string(project.join(".claude/settings.local.json")).expect("the settings");
    assert!(text.contains("\"PostToolUse\"") && !text.contains("\"PreToolUse\""), "{text}");
    world.uninstall();
    assert!(!project.join(".claude").exists());
}

#[test]
fn links_that_lead_out_of_the_project_are_not_followed() {
    for folder in [false, true] {
        let world = World::new();
        let (project, options) = in_project(&world);
        let outside = world.home("private");
        World::write(&outside.join("settings.local.json"), "{\"secret\": 1}");
        if folder {
            symlink(&outside, project.join(".claude")).expect("a link");
        } else {
            fs::create_dir(project.join(".claude")).expect("a folder");
            symlink(outside.join("settings.local.json"), project.join(".claude/settings.local.json"))
                .expect("a link");
        }
        let before = world.everything();
        let result = plan_install(&world.environment, &world.installation, &hosts(), &options);
        assert!(matches!(&result, Err(Error::LeavesProject { .. })), "{result:?}");
        assert_eq!(world.everything(), before);
    }
}

#[test]
fn a_link_that_is_laid_after_planning_is_not_followed_either() {
    let world = World::new();
    let (project, options) = in_project(&world);
    let plan = plan_install(&world.environment, &world.installation, &hosts(), &options).expect("a plan");
    let outside = world.home("private");
    fs::create_dir(&outside).expect("a folder");
    symlink(&outside, project.join(".claude")).expect("a link");
    assert!(plan.apply().is_err());
    assert_eq!(fs::read_dir(&outside).expect("the folder").count(), 0);
}

#[test]
fn the_choice_about_claude_codes_memory_is_written_down() {
    let cases = [
        (None, ClaudeMemory::Use, Some("memory_dir = \"native:claude-code\"\n")),
        (None, ClaudeMemory::Import, None),
        (
            Some("# mine\n[recall]\nlimit = 3\n"),
            ClaudeMemory::Use,
            Some("memory_dir = \"native:claude-code\"\n# mine\n[recall]\nlimit = 3\n"),
        ),
        (Some("memory_dir = \"native:claude-code\"\na = 1\n"), ClaudeMemory::Import, Some("a = 1\n")),
        (Some("memory_dir = \"/my/own\"\n"), ClaudeMemory::Use, Some("memory_dir = \"/my/own\"\n")),
    ];
    for (before, choice, after) in cases {
        let world = World::new();
        let config = world.home(".config/remora/config.toml");
        if let Some(before) = before {
            World::write(&config, before);
        }
        let options = Options { claude_memory: Some(choice), ..Options::default() };
        install(&world.environment, &world.installation, &hosts(), &options)
            .expect("the installation succeeds");
        assert_eq!(fs::read_to_string(&config).ok().as_deref(), after, "{before:?} {choice:?}");
        let again =
            plan_install(&world.environment, &world.installation, &hosts(), &options).expect("a plan");
        assert!(again.is_empty(), "{}", again.diff());
    }
}

#[test]
fn a_memory_of_claude_code_is_found() {
    let world = World::new();
    assert!(!claude_code::has_memory(&world.environment));
    World::write(&world.home(".claude/projects/-home-dev-x/memory/MEMORY.md"), "- a fact\n");
    assert!(claude_code::has_memory(&world.environment));
}
