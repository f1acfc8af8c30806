. ./tests/assert.sh

assert_equal 'six by three' 2 "$(sh divide.sh 6 3 2>/dev/null)"
sh divide.sh 1 0 >/dev/null 2>&1
assert_equal 'the status of one by zero' 1 "$?"
finish
