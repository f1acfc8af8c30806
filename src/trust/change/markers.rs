//! The names of assertions and skips, by language.
//!
//! `*` stands for any characters. A name may begin with what makes it an annotation or an attribute (`@`, `#`, `[`, `:`),
//! and ends with the sign that follows it: `(`, `!`, `:` or `=`.

use crate::trust::files::matches_name;
use crate::trust::language::Language;

/// The names of one language.
pub(super) struct Names {
    language: Language,
    names: &'static [&'static str],
}

const fn names(language: Language, names: &'static [&'static str]) -> Names {
    Names { language, names }
}

/// Whether a token is one of the names for its language.
pub(super) fn is_one_of(table: &[Names], language: Language, token: &str) -> bool {
    let row = table.iter().find(|row| row.language == language);
    row.is_some_and(|row| row.names.iter().any(|name| matches_name(name, token)))
}

pub(super) const ASSERTIONS: &[Names] = &[
    names(
        Language::C,
        &[
            "*ASSERT*(",
            "*EXPECT*(",
            "REQUIRE*(",
            "CHECK*(",
            "assert*(",
            "BOOST_CHECK*(",
            "BOOST_REQUIRE*(",
            "ck_assert*(",
        ],
    ),
    names(Language::CSharp, &["*Assert.*(", "*.Should*(", "Should*(", "*.Verify*("]),
    names(Language::Elixir, &["assert*", "refute*"]),
    names(
        Language::Go,
        &[
            "t.Error*(",
            "t.Fatal*(",
            "t.Fail*(",
            "b.Error*(",
            "b.Fatal*(",
            "f.Error*(",
            "f.Fatal*(",
            "tb.Error*(",
            "tb.Fatal*(",
            "assert.*(",
            "require.*(",
            "is.*(",
            "c.Assert(",
            "c.Check(",
            "qt.*(",
            "s.Equal*(",
            "s.NoError(",
            "s.Error*(",
            "s.True(",
            "s.False(",
            "s.Require(",
            "suite.Equal*(",
        ],
    ),
    names(
        Language::Java,
        &[
            "assert*(",
            "*.assert*(",
            "assert",
            "verify(",
            "*.verify(",
            "fail(",
            "*.fail(",
            "should*(",
            "*.should*(",
            "expect(",
            "expectLater(",
        ],
    ),
    names(
        Language::JavaScript,
        &[
            "expect(",
            "expect.*(",
            "assert(",
            "assert.*(",
            "t.assert.*(",
            "should(",
            "*.should(",
            "*.should.*",
            "should.*(",
            "t.is*(",
            "t.not*(",
            "t.deepEqual*(",
            "t.like(",
            "t.truthy(",
            "t.falsy(",
            "t.true(",
            "t.false(",
            "t.throws*(",
            "t.equal*(",
            "t.same(",
            "t.ok(",
            "t.match(",
            "t.strictEqual(",
            "t.rejects(",
        ],
    ),
    names(Language::Php, &["*assert*(", "*expectException*(", "expect("]),
    names(
        Language::Python,
        &["assert", "assert(", "assert*(", "*.assert*(", "*raises*(", "*.warns(", "*.fail("],
    ),
    names(
        Language::Ruby,
        &[
            "assert*",
            "refute*",
            "expect*",
            "must_*",
            "*.must_*",
            "wont_*",
            "*.wont_*",
            "*.should*",
            "should*",
            "flunk*",
        ],
    ),
    names(Language::Rust, &["*assert*!", "panic!", "#should_panic*", "unreachable!"]),
    names(Language::Shell, &["assert*", "diff", "cmp", "fail", "grep", "refute*", "test", "exit"]),
    names(Language::Swift, &["XCTAssert*(", "XCTFail(", "XCTUnwrap(", "expect(", "require("]),
];

pub(super) const SKIPS: &[Names] = &[
    names(Language::C, &["GTEST_SKIP(", "*DISABLED_*", "SKIP("]),
    names(Language::CSharp, &["Skip=", "[Ignore*", "Assert.Ignore(", "Assert.Inconclusive(", "[Explicit*"]),
    names(Language::Elixir, &[":skip", "skip:", ":exclude"]),
    names(Language::Go, &["t.Skip*(", "b.Skip*(", "f.Skip*(", "tb.Skip*(", "testing.Short("]),
    names(
        Language::Java,
        &[
            "@Disabled*",
            "@Ignore*",
            "assume*(",
            "*.assume*(",
            "@EnabledIf*",
            "@EnabledOn*",
            "enabled=",
            "skip:",
        ],
    ),
    names(
        Language::JavaScript,
        &[
            "*.skip(",
            "*.skip.*(",
            "*.skipIf(",
            "*.runIf(",
            "*.todo(",
            "*.todo.*(",
            "*.failing(",
            "*.failing.*(",
            "*.fails(",
            "*.fixme(",
            "xit(",
            "xtest(",
            "xdescribe(",
            "xcontext(",
            "xspecify(",
            "skip:",
            "todo:",
            "pending(",
        ],
    ),
    names(Language::Php, &["*markTestSkipped(", "*markTestIncomplete(", "skip(", "todo("]),
    names(
        Language::Python,
        &[
            "*mark.skip*",
            "*mark.xfail*",
            "*pytest.skip*(",
            "*pytest.xfail(",
            "*importorskip(",
            "*unittest.skip*",
            "@skip*",
            "@xfail*",
            "*.skipTest(",
            "*SkipTest*",
            "*expectedFailure*",
            "__test__=",
            "collect_ignore*",
        ],
    ),
    names(
        Language::Ruby,
        &[
            "skip",
            "skip(",
            "pending",
            "pending(",
            "xit",
            "xit(",
            "xdescribe",
            "xcontext",
            "xspecify",
            "xscenario",
            "skip:",
            "pending:",
            ":skip",
            ":pending",
        ],
    ),
    names(Language::Rust, &["#ignore*", "#cfg_attr("]),
    names(Language::Shell, &["skip"]),
    names(Language::Swift, &["XCTSkip*", "*.disabled("]),
];

pub(super) const FOCUS: &[Names] = &[
    names(Language::JavaScript, &["*.only(", "*.only.*(", "fit(", "fdescribe(", "fcontext(", "only:"]),
    names(Language::Ruby, &["fit", "fdescribe", "fcontext", "focus:", ":focus", "focus"]),
    names(Language::Elixir, &[":focus", "focus:"]),
];
