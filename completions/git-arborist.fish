# Written by git-arborist from its own tables; changes are lost.
#
# fish completion for git arborist. The completion of git asks for `git-arborist ...` when `git arborist ...` is completed.
# The program says what can come next, so this file contains no list of commands or options.

# Completes the command line, as if the words in the arguments came before it.
function __git_arborist_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -e words[1]
    set -p words $argv
    for line in (git-arborist __complete -- $words "$current" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path "$current"
            case :folders
                __fish_complete_directories "$current"
            case :references
                git for-each-ref --format='%(refname:short)' 2>/dev/null
            case '*'
                printf '%s\n' $line
        end
    end
end

complete -c git-arborist -f -a '(__git_arborist_complete)'
