cat > /dev/null
case $ARBORIST_STEP in
review) printf 'The demo runner approves everything.\n\nAPPROVED\n'; exit 0 ;;
probe) echo ok; exit 0 ;;
plan) echo 'the demo runner makes no plans' >&2; exit 127 ;;
esac
number=$((ARBORIST_ATTEMPT + 1))
case $ARBORIST_STEP in
red) names="$ARBORIST_TASK.red.$number $ARBORIST_TASK.red" ;;
*) names="$ARBORIST_TASK.$number $ARBORIST_TASK" ;;
esac
for name in $names; do
    if [ -f "$patches/$name.patch" ]; then
        git apply --whitespace=nowarn "$patches/$name.patch" || exit 1
        echo "The demo runner has applied $name.patch."
        exit 0
    fi
done
echo "there is no patch for this step: $patches/${names##* }.patch" >&2
exit 127
