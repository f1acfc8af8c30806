. ./tests/expect.sh
. ./from_roman.sh

for sample in I:1 III:3 IV:4 VI:6 IX:9 XIV:14 XL:40 MMXXVI:2026 MCMXCIV:1994; do
    from_roman "${sample%:*}"
    expect "${sample%:*}" "${sample#*:}" "$number"
done
from_roman ABC
expect 'the status of ABC' 1 "$?"
finish
