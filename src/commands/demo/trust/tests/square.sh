. ./tests/assert.sh

assert_equal 'the square of three' 9 "$(sh square.sh 3 2>/dev/null)"
assert_equal 'the square of nine' 81 "$(sh square.sh 9 2>/dev/null)"
finish
