# What all tests share: cases are counted, printed, and reported as JUnit XML.

passed=0 failed=0 skipped=0 cases=

# A test may be left out by naming the ones that are wanted in the file `only`.
wanted() {
    [ ! -e only ] || grep -qx "$1" only
}

# The case $1 should have given $2, and gave $3.
assert_equal() {
    wanted "$1" || return 0
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
        cases="$cases<testcase name=\"$1\"/>"
        printf 'ok    %s\n' "$1"
    else
        failed=$((failed + 1))
        cases="$cases<testcase name=\"$1\"><failure/></testcase>"
        printf 'FAIL  %s: expected %s, got %s\n' "$1" "$2" "$3"
    fi
}

# The case $1 cannot run here.
skip() {
    skipped=$((skipped + 1))
    cases="$cases<testcase name=\"$1\"><skipped/></testcase>"
    printf 'skip  %s\n' "$1"
}

# Writes the report, and fails if a case did.
finish() {
    printf '<testsuite>%s</testsuite>\n' "$cases" >test-report.xml
    printf '%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
    [ "$failed" -eq 0 ]
}
