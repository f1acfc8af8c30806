#!/bin/sh
# A scripted agent: it knows five tasks by heart, and makes two mistakes that it mends only when it is told of them.
#
# It is called as every agent is: the prompt comes on standard input, ARBORIST_TASK and ARBORIST_STEP say what for.
# It uses nothing but what the shell itself can do.

prompt=$(while IFS= read -r line; do printf '%s\n' "$line"; done)

# Whether the prompt contains $1.
told() {
    case $prompt in
    *"$1"*) return 0 ;;
    esac
    return 1
}

# Copies standard input to the file $1.
write() {
    while IFS= read -r line; do printf '%s\n' "$line"; done >"$1"
}

write_to_roman() {
    write to_roman.sh <<'EOF'
# Sets $roman to the Roman numeral of the number $1, which is from 1 to 3999.
to_roman() {
    rest=$1 roman=
    for pair in 1000:M 900:CM 500:D 400:CD 100:C 90:XC 50:L 40:XL 10:X 9:IX 5:V 4:IV 1:I; do
        while [ "$rest" -ge "${pair%:*}" ]; do
            roman=$roman${pair#*:}
            rest=$((rest - ${pair%:*}))
        done
    done
}
EOF
    echo "Wrote to_roman.sh: it takes away the largest value that fits, again and again."
}

write_from_roman_by_adding() {
    write from_roman.sh <<'EOF'
# Sets $number to the value of the Roman numeral $1; fails on any other letter.
from_roman() {
    rest=$1 number=0
    while [ -n "$rest" ]; do
        case $rest in
        M*) value=1000 ;;
        D*) value=500 ;;
        C*) value=100 ;;
        L*) value=50 ;;
        X*) value=10 ;;
        V*) value=5 ;;
        I*) value=1 ;;
        *) return 1 ;;
        esac
        number=$((number + value))
        rest=${rest#?}
    done
}
EOF
    echo "Wrote from_roman.sh: it adds up the values of the letters."
}

write_from_roman() {
    write from_roman.sh <<'EOF'
# Sets $number to the value of the Roman numeral $1; fails on any other letter.
from_roman() {
    rest=$1 number=0 before=1000
    while [ -n "$rest" ]; do
        case $rest in
        M*) value=1000 ;;
        D*) value=500 ;;
        C*) value=100 ;;
        L*) value=50 ;;
        X*) value=10 ;;
        V*) value=5 ;;
        I*) value=1 ;;
        *) return 1 ;;
        esac
        # A smaller letter before a larger one is taken away: it was added once, so twice.
        [ "$value" -le "$before" ] || number=$((number - 2 * before))
        number=$((number + value))
        before=$value
        rest=${rest#?}
    done
}
EOF
    echo "The test says that IV was read as 6: a smaller letter before a larger one is taken away, not added."
    echo "Corrected from_roman.sh."
}

# Writes roman.sh: what stands between its two halves comes from standard input.
write_command() {
    {
        printf '%s\n' '#!/bin/sh'
        while IFS= read -r line; do printf '%s\n' "$line"; done
    } >roman.sh
}

write_conversion() {
    write_command <<'EOF'
# Writes numbers as Roman numerals, and Roman numerals as numbers: sh roman.sh 1994 MCMXCIV
case $0 in
*/*) here=${0%/*} ;;
*) here=. ;;
esac
. "$here/to_roman.sh"
. "$here/from_roman.sh"

for word in "$@"; do
    case $word in
    *[!0-9]*) from_roman "$word" && echo "$number" ;;
    *) to_roman "$word" && echo "$roman" ;;
    esac
done
EOF
    echo "Wrote roman.sh: digits are written as a numeral, anything else is read as one."
}

# Writes roman.sh with a check of its input; $1 is what stands behind the message, $2 the part about help.
write_checked() {
    write_command <<EOF
# Writes numbers as Roman numerals, and Roman numerals as numbers: sh roman.sh 1994 MCMXCIV
case \$0 in
*/*) here=\${0%/*} ;;
*) here=. ;;
esac
. "\$here/to_roman.sh"
. "\$here/from_roman.sh"

# Says that \$1 is refused.
refuse() {
    printf 'roman: %s is not a number from 1 to 3999\n' "\$1"$1
    status=1
}
$2
status=0
for word in "\$@"; do
    case \$word in
    '' | 0* | ?????*[0-9]) refuse "\$word" ;;
    *[!0-9]*)
        # Only the one right way to write a number is accepted: IV, and not IIII.
        if from_roman "\$word" && to_roman "\$number" && [ "\$roman" = "\$word" ]; then
            echo "\$number"
        else
            refuse "\$word"
        fi
        ;;
    *)
        if [ "\$word" -le 3999 ]; then
            to_roman "\$word" && echo "\$roman"
        else
            refuse "\$word"
        fi
        ;;
    esac
done
exit "\$status"
EOF
}

help_part='
if [ "$#" -eq 0 ] || [ "$1" = --help ]; then
    echo "usage: sh roman.sh NUMBER|NUMERAL..."
    echo "Writes numbers from 1 to 3999 as Roman numerals, and Roman numerals as numbers."
    exit 0
fi
'

implement() {
    case $ARBORIST_TASK in
    T001) write_to_roman ;;
    T002) if told 'expected 4, got 6'; then write_from_roman; else write_from_roman_by_adding; fi ;;
    T003) write_conversion ;;
    T004)
        if told 'must go to standard error'; then
            write_checked ' >&2' ''
            echo "The reviewer is right: the message goes to standard error now."
        else
            write_checked '' ''
            echo "roman.sh refuses what is not a number from 1 to 3999, and continues with the next word."
        fi
        ;;
    T005)
        write_checked ' >&2' "$help_part"
        echo "roman.sh --help explains itself, and so does roman.sh alone."
        ;;
    *)
        echo "This agent knows the tasks T001 to T005 alone, and not $ARBORIST_TASK." >&2
        exit 1
        ;;
    esac
}

# Reads the diff in the prompt: a message of an error that goes to standard output is a mistake.
review() {
    wrong=
    while IFS= read -r line; do
        case $line in
        +*"'roman: "*'>&2'*) ;;
        +*"'roman: "*) wrong=${line#+} ;;
        esac
    done <<EOF
$prompt
EOF
    if [ -n "$wrong" ]; then
        echo "This line prints an error where the answers are printed, and a script would take it for one:"
        printf '\n%s\n\n' "$wrong"
        echo "1. Messages about errors must go to standard error."
        echo
        echo REJECTED
    else
        echo "The change does what the task asks for, and no more."
        echo
        echo APPROVED
    fi
}

case $ARBORIST_STEP in
implement) implement ;;
review) review ;;
esac
