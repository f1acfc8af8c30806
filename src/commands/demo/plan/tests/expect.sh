# What all tests share: cases are counted, printed, and reported as JUnit XML.

passed=0 failed=0 cases=

# The case $1 should have given $2, and gave $3.
expect() {
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

# Writes the report, and fails if a case did.
finish() {
    printf '<testsuite>%s</testsuite>\n' "$cases" >test-report.xml
    printf '%s passed, %s failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ]
}
