//! Tests that the files of reports are found in the work tree where there is no doubt, and not elsewhere.

use std::sync::Arc;

use super::*;

fn tree(files: &[&str]) -> ReportTree {
    ReportTree::new(files.iter().map(|file| (*file).to_owned()), &["/project/here/", "/private/project/here"])
}

fn path(name: &str) -> FileName {
    FileName::Path(name.to_owned())
}

/// Where these files are; `-` if that is not clear.
fn places(tree: &ReportTree, names: &[FileName], report_path: &str) -> Vec<String> {
    let report = CoverageReport { files: names.iter().cloned().map(FileCoverage::new).collect() };
    let placed = tree.place(report, report_path);
    let place = |name: &FileName| {
        let found = placed.files.iter().find(|(_, file)| file.name == *name);
        found.map_or("-".to_owned(), |(path, _)| path.clone())
    };
    names.iter().map(place).collect()
}

fn of_paths(files: &[&str], names: &[&str], report_path: &str) -> Vec<String> {
    places(&tree(files), &names.iter().map(|name| path(name)).collect::<Vec<_>>(), report_path)
}

#[test]
fn absolute_paths_below_the_top_are_those_files_and_no_others() {
    let files = ["src/a.py", "a.py"];
    let names =
        ["/project/here/src/a.py", "/private/project/here/a.py", "/project/here/x/a.py", "/other/src/a.py"];
    assert_eq!(of_paths(&files, &names, "c.xml"), ["src/a.py", "a.py", "-", "-"]);
}

#[test]
fn absolute_paths_of_another_machine_begin_with_one_folder() {
    let files = ["src/lib.rs", "src/main.rs", "lib.rs"];
    let names = [
        "/builds/x/src/lib.rs",
        "/builds/x/src/main.rs",
        "/root/.cargo/registry/foo/src/lib.rs",
        "/x/lib.rs",
    ];
    assert_eq!(of_paths(&files, &names, "c.info"), ["src/lib.rs", "src/main.rs", "-", "-"]);
    let windows = ["C:/project/src/lib.rs", "C:/project/src/main.rs"];
    assert_eq!(of_paths(&files, &windows, "c.info"), ["src/lib.rs", "src/main.rs"]);
}

#[test]
fn absolute_paths_that_fit_in_two_ways_are_not_found() {
    assert_eq!(of_paths(&["src/index.js", "index.js"], &["/app/src/index.js"], "c"), ["-"]);
    let more = ["/app/src/index.js", "/app/lib/x.js"];
    assert_eq!(of_paths(&["src/index.js", "index.js", "lib/x.js"], &more, "c"), ["src/index.js", "lib/x.js"]);
}

#[test]
fn relative_paths_begin_at_the_top_or_in_one_folder() {
    let files = ["src/a.js", "packages/a/src/a.js", "packages/a/src/b.js", "packages/b/src/b.js"];
    assert_eq!(of_paths(&files, &["src/a.js"], "coverage/lcov.info"), ["src/a.js"]);
    assert_eq!(
        of_paths(&files, &["src/a.js", "src/b.js"], "coverage/lcov.info"),
        ["packages/a/src/a.js", "packages/a/src/b.js"]
    );
    assert_eq!(of_paths(&files, &["src/b.js"], "coverage/lcov.info"), ["-"]);
    assert_eq!(of_paths(&files, &["src/c.js", "a.js/"], "coverage/lcov.info"), ["-", "-"]);
}

#[test]
fn a_report_in_a_folder_that_fits_as_well_as_the_top_is_not_clear() {
    let files = ["src/a.js", "packages/a/src/a.js"];
    assert_eq!(of_paths(&files, &["src/a.js"], "packages/a/coverage/lcov.info"), ["-"]);
    assert_eq!(of_paths(&files, &["src/a.js"], "packages/abc/lcov.info"), ["src/a.js"]);
}

#[test]
fn relative_paths_from_above_the_top_are_found() {
    let names = ["shop/src/a.py", "shop/src/b.py"];
    assert_eq!(of_paths(&["src/a.py", "src/b.py"], &names, "c.xml"), ["src/a.py", "src/b.py"]);
}

#[test]
fn sources_of_cobertura_stand_before_the_names() {
    let below = |sources: &[&str], path: &str| FileName::Below {
        sources: sources.iter().map(|source| (*source).to_owned()).collect::<Arc<[String]>>(),
        path: path.to_owned(),
    };
    let tree = tree(&["shop/a.py", "a.py", "lib/b.py", "shop/c.py", "lib/c.py"]);
    let here = ["/project/here/shop", "/project/here/lib"];
    let names = [below(&here, "a.py"), below(&here, "b.py"), below(&here, "c.py"), below(&here, "d.py")];
    assert_eq!(places(&tree, &names, "c.xml"), ["shop/a.py", "lib/b.py", "-", "-"]);
    assert_eq!(
        places(&tree, &[below(&["/ci/shop"], "a.py"), below(&["/ci/shop"], "c.py")], "c.xml"),
        ["shop/a.py", "shop/c.py"]
    );
    assert_eq!(places(&tree, &[below(&["shop"], "a.py")], "c.xml"), ["shop/a.py"]);
    assert_eq!(places(&tree, &[below(&[""], "lib/b.py")], "c.xml"), ["lib/b.py"]);
    assert_eq!(places(&tree, &[below(&["/elsewhere"], "/project/here/a.py")], "c.xml"), ["a.py"]);
}

#[test]
fn java_files_are_found_by_their_package() {
    let tree = tree(&[
        "app/src/main/java/com/x/A.java",
        "lib/src/main/java/com/x/B.java",
        "a/com/x/C.java",
        "b/com/x/C.java",
    ]);
    let names = ["com/x/A.java", "com/x/B.java", "com/x/C.java", "m/x/A.java"]
        .map(|name| FileName::Package(name.to_owned()));
    assert_eq!(
        places(&tree, &names, "jacoco.xml"),
        ["app/src/main/java/com/x/A.java", "lib/src/main/java/com/x/B.java", "-", "-"]
    );
}

#[test]
fn go_files_are_found_by_the_modules_of_the_work_tree() {
    let files =
        tree(&["backend/price/price.go", "backend/tool/go.mod", "backend/tool/main.go", "price/price.go"]);
    let modules = vec![
        GoModule::read("backend", "// The shop.\nmodule example.com/shop // here\n\ngo 1.19\n").unwrap(),
        GoModule::read("backend/tool", "module \"example.com/shop/tool\"").unwrap(),
    ];
    assert_eq!(GoModule::read("", "go 1.19\n"), None);
    let names = [
        "example.com/shop/price/price.go",
        "example.com/shop/tool/main.go",
        "example.com/shop/x.go",
        "other.org/price/price.go",
    ]
    .map(|name| FileName::Import(name.to_owned()));
    assert_eq!(
        places(&files.clone().with_modules(modules), &names, "c.out"),
        ["backend/price/price.go", "backend/tool/main.go", "-", "-"]
    );
    // Without a go.mod, the beginning that all names share stands for the top.
    assert_eq!(places(&tree(&["price/price.go"]), &names[..1], "c.out"), ["price/price.go"]);
}

#[test]
fn two_entries_of_one_file_are_put_together() {
    let mut one = FileCoverage::new(path("/project/here/a.py"));
    one.lines.add(1, 1);
    let mut other = FileCoverage::new(path("/private/project/here/a.py"));
    other.lines.add(2, 0);
    let placed = tree(&["a.py"]).place(CoverageReport { files: vec![one, other] }, "c");
    assert_eq!(placed.files["a.py"].lines.within(1..=2).count(), 2);
    assert!(placed.elsewhere.is_empty());
    assert_eq!(placed.totals().lines.map(|lines| (lines.covered, lines.total)), Some((1, 2)));
}
