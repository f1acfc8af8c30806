. ./tests/expect.sh

usage='usage: sh roman.sh NUMBER|NUMERAL...
Writes numbers from 1 to 3999 as Roman numerals, and Roman numerals as numbers.'
expect 'with --help' "$usage" "$(sh roman.sh --help)"
expect 'without arguments' "$usage" "$(sh roman.sh)"
finish
