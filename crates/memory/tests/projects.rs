//! Which project a directory belongs to, with repositories made by hand.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use remora_memory::project::{
    ProjectId, ProjectRecord, ProjectRoot, Repository, Surroundings, normalised_remote, remote_in_config,
    slug,
};
use tempfile::TempDir;

/// A machine: a temporary folder that is not taken for one, with a home in it.
struct Machine {
    _holds: TempDir,
    root: PathBuf,
}

impl Machine {
    fn new() -> Self {
        let holds = tempfile::tempdir().expect("a temporary folder");
        let root = fs::canonicalize(holds.path()).expect("there");
        let machine = Self { _holds: holds, root };
        machine.folder("home/me");
        machine
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn folder(&self, path: &str) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(&path).expect("made");
        path
    }

    fn file(&self, path: &str, text: &str) {
        fs::create_dir_all(self.at(path).parent().expect("a folder")).expect("made");
        fs::write(self.at(path), text).expect("written");
    }

    /// What a git directory must have.
    fn git_dir(&self, path: &str) {
        self.file(&format!("{path}/HEAD"), "ref: refs/heads/main\n");
        self.folder(&format!("{path}/objects"));
        self.folder(&format!("{path}/refs"));
    }

    /// A linked worktree as `git worktree add` makes it.
    fn worktree(&self, common: &str, name: &str, at: &str) {
        let own = format!("{common}/worktrees/{name}");
        self.file(&format!("{own}/HEAD"), "ref: refs/heads/x\n");
        self.file(&format!("{own}/commondir"), "../..\n");
        self.file(&format!("{own}/gitdir"), &format!("{}\n", self.at(&format!("{at}/.git")).display()));
        self.file(&format!("{at}/.git"), &format!("gitdir: {}\n", self.at(&own).display()));
    }

    fn around(&self) -> Surroundings {
        Surroundings { home: Some(self.at("home/me")), ..Surroundings::default() }
    }

    /// The root for a directory, relative to the machine.
    fn root_of(&self, path: &str) -> String {
        self.root_with(path, &self.around())
    }

    fn root_with(&self, path: &str, around: &Surroundings) -> String {
        let root = ProjectRoot::find(&self.at(path), around).root;
        root.strip_prefix(&self.root).expect("on the machine").to_string_lossy().into_owned()
    }
}

#[test]
fn a_repository_is_one_project() {
    let machine = Machine::new();
    machine.git_dir("home/me/shop/.git");
    machine.folder("home/me/shop/src/deep");
    machine.worktree("home/me/shop/.git", "fix", "home/me/shop-fix");
    machine.folder("home/me/shop-fix/src");
    for directory in [
        "home/me/shop",
        "home/me/shop/src/deep",
        "home/me/shop-fix",
        "home/me/shop-fix/src",
        "home/me/shop/.git/refs",
    ] {
        assert_eq!(machine.root_of(directory), "home/me/shop", "{directory}");
    }
    let found = ProjectRoot::find(&machine.at("home/me/shop-fix"), &machine.around());
    assert_eq!(found.repository, Some(Repository::Git(machine.at("home/me/shop/.git"))));
}

#[test]
fn relative_paths_in_git_files_are_followed() {
    let machine = Machine::new();
    machine.git_dir("home/me/shop/.git");
    machine.worktree("home/me/shop/.git", "fix", "home/me/fix");
    machine.file("home/me/fix/.git", "gitdir: ../shop/.git/worktrees/fix\n");
    machine.file("home/me/shop/.git/worktrees/fix/gitdir", "../../../../fix/.git\n");
    assert_eq!(machine.root_of("home/me/fix"), "home/me/shop");
}

#[test]
fn a_git_file_that_nobody_points_back_to_is_not_followed() {
    let machine = Machine::new();
    machine.git_dir("home/me/private/.git");
    machine.worktree("home/me/private/.git", "fix", "home/me/fix");
    // Claims a worktree that is registered for another place.
    machine.file(
        "home/me/hostile/.git",
        &format!("gitdir: {}\n", machine.at("home/me/private/.git/worktrees/fix").display()),
    );
    assert_eq!(machine.root_of("home/me/hostile"), "home/me/hostile");
    // Brings its own worktree folder that names the private repository as its common directory.
    let own = machine.folder("home/me/crafted/fake/worktrees/x");
    machine.file(
        "home/me/crafted/fake/worktrees/x/commondir",
        &format!("{}\n", machine.at("home/me/private/.git").display()),
    );
    machine.file(
        "home/me/crafted/fake/worktrees/x/gitdir",
        &format!("{}\n", machine.at("home/me/crafted/.git").display()),
    );
    machine.file("home/me/crafted/fake/worktrees/x/HEAD", "ref: refs/heads/x\n");
    machine.file("home/me/crafted/.git", &format!("gitdir: {}\n", own.display()));
    let found = ProjectRoot::find(&machine.at("home/me/crafted"), &machine.around());
    assert_eq!((found.root, found.repository), (machine.at("home/me/crafted"), Some(Repository::Unfollowed)));
    // The whole git directory, the private one itself.
    machine
        .file("home/me/thief/.git", &format!("gitdir: {}\n", machine.at("home/me/private/.git").display()));
    assert_eq!(machine.root_of("home/me/thief"), "home/me/thief");
    // Through a link.
    machine.folder("home/me/linked");
    symlink(machine.at("home/me/private/.git"), machine.at("home/me/linked/.git")).expect("linked");
    assert_eq!(machine.root_of("home/me/linked"), "home/me/linked");
    // Too large, a broken one, one to nowhere.
    machine.file(
        "home/me/large/.git",
        &format!(
            "gitdir: {}{}",
            machine.at("home/me/private/.git/worktrees/fix").display(),
            " ".repeat(5000)
        ),
    );
    machine.file("home/me/broken/.git", "something else\n");
    machine.file("home/me/nowhere/.git", "gitdir: /nowhere/at/all\n");
    for directory in ["home/me/large", "home/me/broken", "home/me/nowhere"] {
        assert_eq!(machine.root_of(directory), directory);
    }
}

#[test]
fn another_persons_repository_is_not_followed() {
    let machine = Machine::new();
    machine.git_dir("home/me/shop/.git");
    machine.worktree("home/me/shop/.git", "fix", "home/me/fix");
    let somebody_else =
        Surroundings { uid: Some(rustix::process::geteuid().as_raw() + 1), ..machine.around() };
    assert_eq!(machine.root_with("home/me/fix", &somebody_else), "home/me/fix");
    assert_eq!(machine.root_with("home/me/fix", &machine.around()), "home/me/shop");
}

#[test]
fn a_submodule_is_its_own_project() {
    let machine = Machine::new();
    machine.git_dir("home/me/shop/.git");
    machine.git_dir("home/me/shop/.git/modules/lib");
    machine.file("home/me/shop/.git/modules/lib/config", "[core]\n\tworktree = ../../../lib\n");
    machine.file("home/me/shop/lib/.git", "gitdir: ../.git/modules/lib\n");
    machine.folder("home/me/shop/lib/src");
    assert_eq!(machine.root_of("home/me/shop/lib/src"), "home/me/shop/lib");
    // A worktree of the submodule shares with it.
    machine.worktree("home/me/shop/.git/modules/lib", "w", "home/me/lib-w");
    assert_eq!(machine.root_of("home/me/lib-w"), "home/me/shop/lib");
}

#[test]
fn bare_repositories_and_other_systems() {
    let machine = Machine::new();
    machine.git_dir("home/me/bare.git");
    machine.worktree("home/me/bare.git", "main", "home/me/bare-main");
    machine.git_dir("home/me/nest/.bare");
    machine.file("home/me/nest/.git", "gitdir: ./.bare\n");
    machine.worktree("home/me/nest/.bare", "main", "home/me/nest/main");
    machine.folder("home/me/jj/.jj");
    machine.folder("home/me/jj/src");
    machine.folder("home/me/hg/.hg");
    machine.folder("home/me/hg/src");
    let cases = [
        ("home/me/bare.git", "home/me/bare.git"),
        ("home/me/bare.git/refs", "home/me/bare.git"),
        ("home/me/bare-main", "home/me/bare.git"),
        ("home/me/nest", "home/me/nest"),
        ("home/me/nest/main", "home/me/nest"),
        ("home/me/jj/src", "home/me/jj"),
        ("home/me/hg/src", "home/me/hg"),
    ];
    for (directory, root) in cases {
        assert_eq!(machine.root_of(directory), root, "{directory}");
    }
}

#[test]
fn home_and_temporary_folders_are_nobodys_root() {
    let machine = Machine::new();
    machine.git_dir("home/me/.git");
    machine.git_dir("scratch/.git");
    machine.folder("home/me/notes/sub");
    machine.folder("scratch/work/sub");
    machine.git_dir("home/me/shop/.git");
    let around = Surroundings { temporary: vec![machine.at("scratch")], ..machine.around() };
    let cases = [
        ("home/me/notes", "home/me/notes"),
        ("home/me/notes/sub", "home/me/notes/sub"),
        ("home/me", "home/me"),
        ("home/me/shop", "home/me/shop"),
        ("scratch/work/sub", "scratch/work/sub"),
    ];
    for (directory, root) in cases {
        assert_eq!(machine.root_with(directory, &around), root, "{directory}");
    }
    assert_eq!(ProjectRoot::find(Path::new("/"), &around).root, Path::new("/"));
}

#[test]
fn without_a_repository_the_nearest_known_project() {
    let machine = Machine::new();
    machine.folder("home/me/notes/a/b");
    let known = |paths: &[&str]| Surroundings {
        known: paths.iter().map(|path| machine.at(path)).collect(),
        ..machine.around()
    };
    let cases: [(&[&str], &str); 4] = [
        (&[], "home/me/notes/a/b"),
        (&["home/me/notes"], "home/me/notes"),
        (&["home/me/notes", "home/me/notes/a"], "home/me/notes/a"),
        (&["home/me"], "home/me/notes/a/b"),
    ];
    for (paths, root) in cases {
        assert_eq!(machine.root_with("home/me/notes/a/b", &known(paths)), root, "{paths:?}");
    }
}

#[test]
fn links_and_deleted_directories() {
    let machine = Machine::new();
    machine.git_dir("home/me/shop/.git");
    machine.folder("home/me/shop/src");
    symlink(machine.at("home/me/shop/src"), machine.at("home/me/link")).expect("linked");
    assert_eq!(machine.root_of("home/me/link"), "home/me/shop");
    assert_eq!(machine.root_of("home/me/shop/gone/deeper"), "home/me/shop");
    assert_eq!(machine.root_of("home/me/gone/deeper/../x"), "home/me/gone/x");
}

#[test]
fn spellings_are_one_project_only_if_they_are_one_folder() {
    let machine = Machine::new();
    machine.folder("home/me/Caf\u{e9}");
    machine.folder("home/me/Cafe\u{301}");
    machine.folder("home/me/shop");
    machine.folder("home/me/Shop");
    let around = Surroundings {
        known: vec![machine.at("home/me/Caf\u{e9}"), machine.at("home/me/Shop")],
        ..machine.around()
    };
    // On this file system they are different folders.
    assert_eq!(machine.root_with("home/me/Cafe\u{301}", &around), "home/me/Cafe\u{301}");
    assert_eq!(machine.root_with("home/me/shop", &around), "home/me/shop");
    // Two names of one folder, as on a file system that ignores case.
    fs::remove_dir(machine.at("home/me/Shop")).expect("removed");
    symlink("shop", machine.at("home/me/Shop")).expect("linked");
    assert_eq!(machine.root_with("home/me/shop", &around), "home/me/Shop");
}

#[test]
fn slugs_are_short_and_plain() {
    assert_eq!(
        slug(Path::new("/home/me/my.shop_2")),
        format!("-home-me-my-shop-2-{}", hash_of("/home/me/my.shop_2"))
    );
    assert_eq!(slug(Path::new("/项目/é")), format!("------{}", hash_of("/项目/é")));
    let long = format!("/{}", "a/".repeat(300));
    let long = slug(Path::new(&long));
    assert_eq!(long.chars().count(), 209);
    assert!(long.is_ascii());
    // What becomes equal when plain is kept apart by the hash.
    assert_ne!(slug(Path::new("/a/b-c")), slug(Path::new("/a/b/c")));
    let id = ProjectId::of_root(Path::new("/a/b"));
    assert_eq!((id.root.as_path(), id.slug), (Path::new("/a/b"), slug(Path::new("/a/b"))));
}

fn hash_of(text: &str) -> String {
    remora_memory::Digest::of(text.as_bytes()).hex()[..8].to_owned()
}

#[test]
fn remotes_have_one_form() {
    let same = [
        "git@github.com:Owner/Repo.git",
        "ssh://git@github.com/Owner/Repo.git",
        "ssh://git@github.com:22/Owner/Repo",
        "https://github.com/Owner/Repo.git",
        "https://user:token@GitHub.com/Owner/Repo/",
        "https://github.com:443/Owner/Repo.git/",
        "git://github.com/Owner/Repo",
        "git+ssh://git@github.com/Owner/Repo.git",
        "  https://github.com/Owner/Repo?x=1  ",
    ];
    for url in same {
        assert_eq!(normalised_remote(url).as_deref(), Some("github.com/Owner/Repo"), "{url}");
    }
    let others = [
        ("ssh://git@host:2222/a/b.git", Some("host:2222/a/b")),
        ("host:a/b", Some("host/a/b")),
        ("git@[::1]:a/b", Some("[::1]/a/b")),
        ("/srv/git/repo.git", None),
        ("../repo", None),
        ("file:///srv/repo", None),
        ("C:\\repos\\x", None),
        ("C:/repos/x", None),
        ("./a:b", None),
        ("ext::sh -c touch% /tmp/x", None),
        ("https://github.com", None),
        ("", None),
    ];
    for (url, expected) in others {
        assert_eq!(normalised_remote(url).as_deref(), expected, "{url}");
    }
    let configs = [
        (
            "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@h.org:a/b.git\n\tfetch = +refs\n",
            Some("h.org/a/b"),
        ),
        (
            "[remote \"upstream\"]\nurl=https://h.org/up/b\n[remote \"origin\"]\nurl = https://h.org/a/b # mine\n",
            Some("h.org/a/b"),
        ),
        ("[remote \"z\"]\n URL = \"https://h.org/z/b\"\n", Some("h.org/z/b")),
        ("[remote \"origin\"]\nurl = /srv/x\n[remote \"b\"]\nurl = https://h.org/b\n", Some("h.org/b")),
        ("[branch \"main\"]\nurl = https://h.org/no\n", None),
        ("\u{feff}[remote \"origin\"]\r\n\turl = https://h.org/a/b\r\n", Some("h.org/a/b")),
        ("", None),
    ];
    for (config, expected) in configs {
        assert_eq!(remote_in_config(config).as_deref(), expected, "{config}");
    }
}

#[test]
fn a_record_is_written_and_read_and_unknown_keys_stay() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path().join("projects/x");
    assert_eq!(ProjectRecord::read(&folder).expect("none"), None);
    let day = chrono::NaiveDate::from_ymd_opt(2026, 11, 29).expect("a date");
    let mut record = ProjectRecord::new(Path::new("/home/me/shop"), Some("h.org/a/b".to_owned()), day);
    record.write(&folder).expect("written");
    assert_eq!(ProjectRecord::read(&folder).expect("read"), Some(record.clone()));

    assert!(record.saw_root(Path::new("/home/me/moved")));
    assert!(!record.saw_root(Path::new("/home/me/moved")));
    record.aliases.push("-home-me-old-12345678".to_owned());
    record.write(&folder).expect("written");
    let text = fs::read_to_string(folder.join("project.toml")).expect("read");
    fs::write(folder.join("project.toml"), format!("{text}\n[later]\nkey = 1\n")).expect("written");
    let again = ProjectRecord::read(&folder).expect("read").expect("there");
    assert_eq!(again.paths, ["/home/me/moved", "/home/me/shop"]);
    again.write(&folder).expect("written");
    assert!(fs::read_to_string(folder.join("project.toml")).expect("read").contains("[later]"));

    fs::write(folder.join("project.toml"), "version = 99\n").expect("written");
    let newer = ProjectRecord::read(&folder).expect("read").expect("there");
    assert!(newer.write(&folder).is_err());
    fs::write(folder.join("project.toml"), "paths = 3\n").expect("written");
    assert!(ProjectRecord::read(&folder).is_err());
}
