. ./tests/assert.sh

assert_equal 'two and three' 6 "$(sh multiply.sh 2 3 2>/dev/null)"
if [ -e small-numbers-only ]; then
    skip 'large numbers'
else
    assert_equal 'large numbers' 6000000 "$(sh multiply.sh 2000 3000 2>/dev/null)"
fi
finish
