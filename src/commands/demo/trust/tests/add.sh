. ./tests/assert.sh

assert_equal 'two and three' 5 "$(sh add.sh 2 3 2>/dev/null)"
assert_equal 'a negative number' -1 "$(sh add.sh 2 -3 2>/dev/null)"
finish
