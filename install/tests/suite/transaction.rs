//! All or nothing, whatever fails.

use std::fs;
use std::io;

use remora_install::{Error, Step};

use crate::world::World;

#[test]
fn a_failure_at_any_step_puts_everything_back() {
    type Prepare = fn(&World);
    let cases: [(&str, Prepare); 3] = [
        ("a fresh machine", |_| {}),
        ("settings that exist", |world| World::write(&world.settings(), "{\n  \"a\": 1\n}\n")),
        ("an installation to be removed", |world| {
            World::write(&world.settings(), "{\n  \"a\": 1\n}\n");
            world.install();
            let touched = fs::read_to_string(world.settings()).expect("the settings").replacen('1', "2", 1);
            fs::write(world.settings(), touched).expect("the settings");
        }),
    ];
    for (name, prepare) in cases {
        let world = World::new();
        prepare(&world);
        let removes = name.ends_with("removed");
        let plan = || if removes { world.plan_removal() } else { world.plan() }.expect("a plan");
        let before = world.everything();
        let mut failed = 0;
        loop {
            let mut step = 0;
            let result = plan().apply_watched(&mut |_| {
                step += 1;
                if step > failed { Err(io::Error::from(io::ErrorKind::StorageFull)) } else { Ok(()) }
            });
            let Err(error) = result else { break };
            let Error::RolledBack { source, stuck } = &error else { panic!("{name}: {error}") };
            assert!(matches!(**source, Error::Io { .. }), "{name}: {error}");
            assert_eq!(stuck.len(), 0, "{name}: {error}");
            assert_eq!(world.everything(), before, "{name}, step {failed}: {error}");
            failed += 1;
        }
        assert!(failed > 5, "{name}: only {failed} steps");
        assert_ne!(world.everything(), before, "{name}");
    }
}

#[test]
fn a_folder_in_the_place_of_the_file_stops_everything() {
    let world = World::new();
    fs::create_dir_all(world.settings()).expect("a folder");
    let before = world.everything();
    assert!(matches!(world.plan(), Err(Error::NotAFile(path)) if path == world.settings()));
    assert_eq!(world.everything(), before);
}

#[test]
fn a_file_in_the_place_of_the_folder_stops_everything() {
    let world = World::new();
    World::write(&world.home(".claude"), "not a folder");
    let before = world.everything();
    let error =
        world.plan().and_then(remora_install::Plan::apply).expect_err("there is no place for the file");
    assert!(error.to_string().contains(".claude"), "{error}");
    assert_eq!(world.everything(), before);
}

#[test]
fn a_file_that_changes_after_planning_is_not_overwritten() {
    for when in ["before", "between", "at the last moment"] {
        let world = World::new();
        World::write(&world.settings(), "{}");
        let plan = world.plan().expect("a plan");
        let settings = world.settings();
        let theirs = "{\"theirs\": 1}";
        let change = || fs::write(world.settings(), theirs);
        if when == "before" {
            change().expect("a change");
        }
        let result = plan.apply_watched(&mut |step| match (when, step) {
            ("between", Step::Stage(path)) | ("at the last moment", Step::Commit(path))
                if *path == settings =>
            {
                change()
            }
            _ => Ok(()),
        });
        let Err(Error::RolledBack { source, stuck }) = result else { panic!("{when}: not refused") };
        assert!(matches!(*source, Error::Changed(_)), "{when}: {source}");
        assert_eq!(stuck.len(), 0);
        assert_eq!(fs::read_to_string(world.settings()).expect("the settings"), theirs, "{when}");
        assert!(!world.installation.manifest().exists(), "{when}");

        world.install();
        world.uninstall();
        assert_eq!(fs::read_to_string(world.settings()).expect("the settings"), theirs, "{when}");
    }
}

#[test]
fn what_cannot_be_put_back_is_named() {
    let world = World::new();
    World::write(&world.settings(), "{}");
    let manifest = world.installation.manifest();
    let settings = world.settings();
    // The manifest is committed first; somebody rewrites it before the settings fail.
    let error = world
        .plan()
        .expect("a plan")
        .apply_watched(&mut |step| match step {
            Step::Commit(path) if *path == settings => {
                fs::write(&manifest, "somebody else's")?;
                Err(io::Error::other("no"))
            }
            _ => Ok(()),
        })
        .expect_err("the commit fails");
    let Error::RolledBack { stuck, .. } = &error else { panic!("{error}") };
    assert_eq!(stuck.iter().map(|(path, _)| path).collect::<Vec<_>>(), [&manifest]);
    assert_eq!(fs::read_to_string(&manifest).expect("the manifest"), "somebody else's");
    assert!(error.hint().expect("a hint").contains("backups/config"));
}

#[test]
fn without_executables_nothing_is_written() {
    let world = World::new();
    fs::remove_file(world.installation.executable("claude-code", "stop")).expect("an executable");
    let before = world.everything();
    let plan = world.plan().expect("a plan can be shown");
    assert!(plan.diff().contains("SessionStart"));
    let error = plan.apply().expect_err("an executable is missing");
    assert!(error.to_string().ends_with("bin/claude-code/stop"), "{error}");
    assert_eq!(world.everything(), before);
}
