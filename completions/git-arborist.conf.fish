# Written by git-arborist from its own tables; changes are lost.
#
# Some versions of fish do not use the completion of git-arborist for `git arborist ...`. This line makes them do so.
complete -c git -f -n '__fish_git_using_command arborist; and functions -q __fish_git_complete_custom_command' -a '(__fish_git_complete_custom_command arborist)'
