. ./tests/expect.sh
. ./to_roman.sh
. ./from_roman.sh

wrong=none given=1
while [ "$given" -le 3999 ]; do
    to_roman "$given"
    from_roman "$roman"
    [ "$number" -eq "$given" ] || wrong=$given
    given=$((given + 1))
done
expect 'wrong numbers from 1 to 3999' none "$wrong"
finish
