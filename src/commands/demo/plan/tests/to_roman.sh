. ./tests/expect.sh
. ./to_roman.sh

for sample in 1:I 3:III 4:IV 9:IX 14:XIV 40:XL 90:XC 400:CD 1994:MCMXCIV 2026:MMXXVI 3999:MMMCMXCIX; do
    to_roman "${sample%:*}"
    expect "${sample%:*}" "${sample#*:}" "$roman"
done
finish
