. ./tests/expect.sh

for word in 0 007 4000 123456789012345678901 -3 IIII VX ABC 12a; do
    expect "$word" "roman: $word is not a number from 1 to 3999" "$(sh roman.sh "$word" 2>&1)"
done
sh roman.sh 0 >/dev/null 2>&1
expect 'the status' 1 "$?"
expect 'the others' X "$(sh roman.sh 10 2>&1)"
finish
