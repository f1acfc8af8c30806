//! Tests the folders with packages, with real repositories, a real virtual environment and a real Node workspace.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::tests::Place;
use super::super::{Scratch, Scratches};
use super::*;
use crate::process::EnvChange;

/// Names with their values.
type Pairs<'a> = &'a [(&'a str, &'a str)];

fn listing(place: &Place) -> DependencyListing {
    DependencyListing::take(&place.git, &place.work_tree(), &place.git.ignored_paths().unwrap()).unwrap()
}

fn folders(place: &Place) -> Vec<String> {
    listing(place).folders().iter().map(|path| path.display().to_string()).collect()
}

/// A scratch work tree of the newest commit, with all packages.
fn installed(place: &Place) -> Scratch {
    let scratch = place.scratches().make("a", &place.id("HEAD")).unwrap();
    let listing = listing(place);
    let (from, to) = (place.work_tree(), &scratch.work_tree);
    install(&from, to, listing.folders(), &place.scratches().programs.cancel).unwrap();
    assert!(listing.folders().iter().all(|folder| to.top.join(folder).exists()));
    scratch
}

fn run(folder: &Path, program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).current_dir(folder).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {stderr}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn on_path(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|dir| dir.join(name)).find(|path| path.is_file())
}

#[test]
fn folders_with_packages_are_found_and_folders_of_builds_are_not() {
    let place = Place::new();
    place.write(".gitignore", "node_modules/\nvendor/\ntarget/\ndist/\nenv/\n.next/\ncache/\n");
    for file in [
        "node_modules/a/package.json",
        "packages/one/node_modules/b/package.json",
        "target/debug/node_modules/c/package.json",
        "dist/a.js",
        ".next/node_modules/d/package.json",
        "env/settings.txt",
        "vendor/x/y.go",
        ".venv/pyvenv.cfg",
        ".venv/bin/python",
    ] {
        place.write(file, "");
    }
    place.write(".venv/.gitignore", "*\n");
    assert_eq!(folders(&place), [".venv", "node_modules", "packages/one/node_modules"]);
    place.write("go.mod", "module x\n");
    place.write("env/pyvenv.cfg", "");
    assert_eq!(folders(&place), [".venv", "env", "node_modules", "packages/one/node_modules", "vendor"]);
    place.git(&["add", "--force", "vendor/x/y.go"]);
    assert!(!folders(&place).contains(&"vendor".to_owned()), "git knows a file in it");
}

#[test]
fn changed_packages_are_named_and_caches_are_not() {
    let place = Place::new();
    for file in ["node_modules/a/package.json", "node_modules/a/lib/i.js", "node_modules/.cache/x"] {
        place.write(file, "one");
    }
    let before = listing(&place);
    place.write("node_modules/.cache/y", "");
    place.write("node_modules/.vite/deps/z", "");
    assert_eq!(listing(&place).changed_since(&before), Vec::<PathBuf>::new());
    let file = place.top.join("node_modules/a/lib/i.js");
    let time = file.metadata().unwrap().modified().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    std::fs::write(&file, "two").unwrap();
    std::fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
    place.write("node_modules/b/package.json", "");
    let changed = listing(&place).changed_since(&before);
    let expected = ["node_modules/a/lib/i.js", "node_modules/b", "node_modules/b/package.json"];
    assert_eq!(changed, expected.map(PathBuf::from), "also with its old time");
    std::fs::remove_dir_all(place.top.join("node_modules/a")).unwrap();
    assert!(before.changed_since(&listing(&place)).contains(&PathBuf::from("node_modules/a")));
}

#[test]
fn links_lead_to_the_scratch_work_tree_or_to_where_they_led_outside() {
    let place = Place::new();
    let outside = place.top.parent().unwrap().join("linked");
    std::fs::create_dir(&outside).unwrap();
    place.commit("packages/one/index.js", "");
    place.write("node_modules/a/package.json", "");
    let link =
        |target: &Path, name: &str| symlink(target, place.top.join("node_modules").join(name)).unwrap();
    link(Path::new("../packages/one"), "one");
    link(&place.top.join("packages/one"), "full");
    link(Path::new("../../linked"), "outside");
    let scratch = installed(&place);
    let top = &scratch.work_tree.top;
    let led = |name: &str| std::fs::read_link(top.join("node_modules").join(name)).unwrap();
    assert_eq!(led("one"), Path::new("../packages/one"));
    assert_eq!(led("full"), top.join("packages/one"));
    assert_eq!(led("outside"), outside);
    std::fs::remove_dir_all(place.top.join("node_modules")).unwrap();
    place.write("node_modules/new/package.json", "");
    let (from, cancel) = (place.work_tree(), &place.scratches().programs.cancel);
    install(&from, &scratch.work_tree, listing(&place).folders(), cancel).unwrap();
    assert!(top.join("node_modules/new").is_dir() && !top.join("node_modules/a").exists(), "it is replaced");
    drop(scratch);
    std::fs::remove_dir(outside).unwrap();
}

#[test]
fn nothing_is_installed_that_a_command_or_a_pattern_brings_already() {
    let place = Place::new();
    place.write("node_modules/a/package.json", "");
    let listing = listing(&place);
    let all = place.scratches();
    assert_eq!(all.folders_to_install(&listing).unwrap(), [PathBuf::from("node_modules")]);
    let made = Scratches { setup: Some("npm ci".to_owned()), ..place.scratches() };
    let copied = Scratches { copy: vec!["node_modules".to_owned()], ..place.scratches() };
    for scratches in [made, copied] {
        assert_eq!(scratches.folders_to_install(&listing).unwrap(), Vec::<PathBuf>::new());
    }
    place.write("node_modules/a/cacert.pem", "");
    let listing = self::listing(&place);
    let one_file = Scratches { copy: vec!["**/*.pem".to_owned()], ..place.scratches() };
    assert_eq!(one_file.folders_to_install(&listing).unwrap(), [PathBuf::from("node_modules")]);
    place.write(".worktreeinclude", "*.pem\n");
    assert_eq!(place.scratches().folders_to_install(&listing).unwrap(), [PathBuf::from("node_modules")]);
}

#[test]
fn caches_are_not_copied_and_what_vanishes_meanwhile_is_left_out() {
    let place = Place::new();
    for file in [
        "node_modules/a/index.js",
        "node_modules/.prisma/client/index.js",
        "node_modules/.vite/deps/a.js",
        "node_modules/a/__pycache__/a.cpython-311.pyc",
    ] {
        place.write(file, "");
    }
    let scratch = installed(&place);
    let is_there = |path: &str| scratch.work_tree.top.join("node_modules").join(path).exists();
    assert_eq!(["a/index.js", ".prisma/client/index.js"].map(is_there), [true, true]);
    assert_eq!([".vite", "a/__pycache__"].map(is_there), [false, false]);
    // A program rewrites a folder as vite does, under names that are there only for a moment.
    let changing = place.top.join("node_modules/a/deps");
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                for number in 0..20 {
                    std::fs::create_dir_all(changing.join(format!("temp{number}"))).unwrap();
                    std::fs::write(changing.join(format!("temp{number}/file")), "").unwrap();
                }
                std::fs::remove_dir_all(&changing).unwrap();
            }
        });
        let folders = [PathBuf::from("node_modules")];
        let install =
            |_| install(&place.work_tree(), &scratch.work_tree, &folders, &place.scratches().programs.cancel);
        let failed: Vec<_> = (0..60).map(install).filter_map(Result::err).collect();
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(failed.is_empty(), "{failed:?}");
    });
}

#[test]
fn a_workspace_of_node_resolves_into_the_scratch_work_tree() {
    let (Some(_), Some(_)) = (on_path("npm"), on_path("node")) else { return };
    let place = Place::new();
    place.write("package.json", r#"{"name": "all", "private": true, "workspaces": ["packages/*"]}"#);
    for name in ["one", "two"] {
        place.write(
            &format!("packages/{name}/package.json"),
            &format!(r#"{{"name": "{name}", "version": "1.0.0"}}"#),
        );
    }
    place.write("packages/one/index.js", "module.exports = __filename\n");
    place.commit("packages/two/index.js", "console.log(require('one'))\n");
    run(&place.top, "npm", &["install", "--offline", "--no-audit", "--no-fund"]);
    let scratch = installed(&place);
    let top = &scratch.work_tree.top;
    assert_eq!(run(top, "node", &["packages/two"]), top.join("packages/one/index.js").display().to_string());
}

/// A Python project with a module in `src` and a virtual environment in the work tree or beside it.
fn python_project(venv: &str) -> (Place, PathBuf) {
    let place = Place::new();
    place.write(".gitignore", ".venv/\n__pycache__/\n*.egg-info/\n");
    place.write(
        "setup.py",
        "from setuptools import setup\nsetup(name='pack', package_dir={'': 'src'}, packages=['pack'])\n",
    );
    place.commit("src/pack/__init__.py", "");
    let venv = place.top.join(venv);
    run(&place.top, "python3", &["-m", "venv", venv.to_str().unwrap()]);
    let python = venv.join("bin/python");
    (place, python)
}

const WHERE: &str = "import pack; print(pack.__file__)";

#[test]
fn a_virtual_environment_in_the_work_tree_imports_the_files_of_the_scratch_work_tree() {
    let (place, python) = python_project(".venv");
    run(&place.top, python.to_str().unwrap(), &["setup.py", "--quiet", "develop"]);
    let scratch = installed(&place);
    let top = &scratch.work_tree.top;
    let here = top.join("src/pack/__init__.py").display().to_string();
    assert_eq!(run(top, ".venv/bin/python", &["-c", WHERE]), here);
    // Its scripts run its own interpreter.
    let pip = std::fs::read_to_string(top.join(".venv/bin/pip")).unwrap();
    assert!(!pip.contains(&place.top.join(".venv").display().to_string()), "{pip}");
    let of_user = place.top.join("src/pack/__init__.py").display().to_string();
    assert_eq!(run(&place.top, python.to_str().unwrap(), &["-c", WHERE]), of_user);
}

#[test]
fn an_editable_install_elsewhere_is_found_and_led_into_the_scratch_work_tree() {
    let (place, python) = python_project("../venv");
    run(&place.top, python.to_str().unwrap(), &["setup.py", "--quiet", "develop"]);
    let scratch = installed(&place);
    let top = &scratch.work_tree.top;
    let interpreters = Interpreters::of(&place.top, |name| (name == "python3").then(|| python.clone()));
    let found = EditableInstalls::find(&place.top, &interpreters.site_packages(&scratch.launch()));
    assert_eq!(found.paths, [PathBuf::from("src")]);
    let outside = found.imports_outside(&interpreters, &scratch.launch(), &[]);
    let of_user = place.top.join("src/pack/__init__.py");
    assert_eq!(outside, [format!("pack ({})", of_user.display())]);
    let change = found.python_path(top, None);
    assert_eq!(change, EnvChange::Set("PYTHONPATH".into(), top.join("src").into()));
    assert_eq!(found.imports_outside(&interpreters, &scratch.launch(), &[change]), Vec::<String>::new());
    drop(scratch);
    std::fs::remove_dir_all(place.top.with_file_name("venv")).unwrap();
}

#[test]
fn every_form_of_an_editable_install_is_read() {
    let place = Place::new();
    let top = &place.top;
    let url = |path: &str| format!("{}{path}", moved::as_url(top));
    let full = |path: &str| top.join(path).display().to_string();
    let direct = |url: String| format!(r#"{{"url": "file://{url}", "dir_info": {{"editable": true}}}}"#);
    let rows: [(&str, String, &[&str]); 9] = [
        ("pack.pth", full("src"), &["src"]),
        ("pack.pth", format!("{}\n/elsewhere\nimport x\n", top.display()), &[""]),
        ("easy-install.pth", full("a") + "\n" + &full("b"), &["a", "b"]),
        ("pack.egg-link", full("lib") + "\n..", &["lib"]),
        ("__editable___pack_finder.py", format!("MAPPING = {{'pack': '{}'}}", full("lib/pack")), &["lib"]),
        ("pack-1.dist-info/direct_url.json", direct(url("")), &[""]),
        ("pack-1.dist-info/direct_url.json", direct(url("/one")), &["one"]),
        ("pack-1.dist-info/direct_url.json", direct(url("-other")), &[]),
        ("pack-1.dist-info/direct_url.json", direct(url("")).replace("true", "false"), &[]),
    ];
    for (file, text, expected) in rows {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &text).unwrap();
        let found = EditableInstalls::find(top, &[folder.path().to_owned()]);
        assert_eq!(found.paths, expected.iter().map(PathBuf::from).collect::<Vec<_>>(), "{file}: {text}");
    }
}

#[test]
fn python_path_keeps_what_the_user_has_set_behind_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.pth"), "/repo/p\n/repo/p/src\n").unwrap();
    let found = EditableInstalls::find(Path::new("/repo/p"), &[folder.path().to_owned()]);
    let rows = [
        (None, "/s:/s/src"),
        (Some("/lib::/repo/p/src:/repo/p/tools:/repo/p-old"), "/s:/s/src:/lib:/s/tools:/repo/p-old"),
    ];
    for (existing, expected) in rows {
        let change = found.python_path(Path::new("/s"), existing.map(std::ffi::OsStr::new));
        assert_eq!(change, EnvChange::Set("PYTHONPATH".into(), expected.into()), "{existing:?}");
    }
}

#[test]
fn manifests_and_lock_files_say_which_packages_are_needed() {
    let yes = [
        "package.json",
        "packages/a/package.json",
        "yarn.lock",
        "requirements-dev.txt",
        "requirements/test.txt",
        "x.gemspec",
        "go.mod",
        "uv.lock",
    ];
    let no = ["src/package.json.ts", "README.md", "docs/requirements.md", "lock", "my-go.mod"];
    for path in yes {
        assert!(packages_changed(&[b"src/a.py", path.as_bytes()]), "{path}");
    }
    assert!(!packages_changed(&no.map(str::as_bytes)));
    assert!(
        lock_files().any(|name| name == "package-lock.json")
            && !lock_files().any(|name| name == "package.json")
    );
}

fn environment(changes: &[EnvChange]) -> BTreeMap<String, String> {
    let set = changes.iter().filter_map(|change| match change {
        EnvChange::Set(name, value) => {
            Some((name.to_str().unwrap().to_owned(), value.to_str().unwrap().to_owned()))
        }
        EnvChange::Remove(_) => None,
    });
    set.collect()
}

#[test]
fn tool_chains_are_found_at_their_place_in_the_users_home() {
    let of = |user: &[(&str, &str)], there: &[&str]| {
        let value = |name: &str| {
            user.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        let exists = |path: &Path| there.contains(&path.to_str().unwrap());
        let changes = own_home(Path::new("/own"), Path::new("/tmp/x"), value, exists);
        assert!(changes.contains(&EnvChange::Remove("XDG_CACHE_HOME".into())));
        let mut set = environment(&changes);
        assert_eq!(set.remove("HOME").as_deref(), Some("/own"));
        assert_eq!(set.remove("TMPDIR").as_deref(), Some("/tmp/x"));
        assert_eq!(set.remove("PYTHONDONTWRITEBYTECODE").as_deref(), Some("1"));
        set.into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>()
    };
    let home = ("HOME", "/u");
    let rows: [(Pairs<'_>, &[&str], &[&str]); 8] = [
        (&[], &["/u/.cargo"], &[]),
        (&[home], &[], &[]),
        (&[home], &["/u/.cargo", "/u/.rustup"], &["CARGO_HOME=/u/.cargo", "RUSTUP_HOME=/u/.rustup"]),
        (&[home, ("CARGO_HOME", "/c")], &["/u/.cargo"], &[]),
        (&[home, ("CARGO_HOME", "")], &["/u/.cargo"], &["CARGO_HOME=/u/.cargo"]),
        (&[home], &["/u/.cache/go-build", "/u/Library/Caches/go-build"], &["GOCACHE=/u/.cache/go-build"]),
        (&[home, ("XDG_CACHE_HOME", "/x")], &["/x/uv", "/u/.cache/uv"], &["UV_CACHE_DIR=/x/uv"]),
        (&[home], &["/u/.config/git/config"], &["GIT_CONFIG_GLOBAL=/u/.config/git/config"]),
    ];
    for (user, there, expected) in rows {
        assert_eq!(of(user, there), expected, "{user:?} {there:?}");
    }
}

#[test]
fn programs_of_the_work_tree_are_found_in_the_scratch_work_tree() {
    let value = |name: &str| match name {
        "PATH" => Some(OsString::from("/w/.venv/bin:/usr/bin:/w/tools:/w")),
        "VIRTUAL_ENV" => Some(OsString::from("/w/.venv")),
        "NODE_PATH" => Some(OsString::from("/w-old")),
        _ => None,
    };
    let exists = |path: &Path| path.starts_with("/s/.venv") || path == Path::new("/s");
    let changes = environment(&moved_environment(Path::new("/w"), Path::new("/s"), value, exists));
    let expected = [("PATH", "/s/.venv/bin:/usr/bin:/w/tools:/s"), ("VIRTUAL_ENV", "/s/.venv")];
    assert_eq!(changes, expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
}
