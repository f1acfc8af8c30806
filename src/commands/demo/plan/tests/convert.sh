. ./tests/expect.sh

expect 'a number' MCMXCIV "$(sh roman.sh 1994)"
expect 'a numeral' 1994 "$(sh roman.sh MCMXCIV)"
expect 'several' 'IV
9' "$(sh roman.sh 4 IX)"
finish
