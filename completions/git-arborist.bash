# Written by git-arborist from its own tables; changes are lost.
#
# bash completion for git arborist. git's completion calls _git_arborist for `git arborist`, and loads this file for
# it; bash calls __git_arborist_program for git-arborist itself. The program says what can come next, so this file
# contains no list of commands or options. Nothing that the program prints is evaluated.

# Completes the word $cur after the words in the arguments. The command that answers is in the array `answerer`.
__git_arborist_complete ()
{
	local value text prefix= IFS=$' \t\n'
	local -a values=() lines=()
	compopt +o default +o bashdefault 2>/dev/null
	COMPREPLY=()
	# bash replaces only what follows the equals sign.
	case $cur in
	--*=*) prefix=${cur%%=*}= ;;
	esac
	while IFS=$'\t' read -r value text; do
		case $value in
		:files)
			compopt -o filenames 2>/dev/null
			while IFS= read -r value; do
				COMPREPLY+=("$value")
			done < <(compgen -f -- "${cur#"$prefix"}")
			;;
		:folders)
			compopt -o filenames 2>/dev/null
			while IFS= read -r value; do
				COMPREPLY+=("$value")
			done < <(compgen -d -- "${cur#"$prefix"}")
			;;
		:references)
			while IFS= read -r value; do
				case $value in
				"${cur#"$prefix"}"*) values+=("$value") lines+=("$value") ;;
				esac
			done < <("${asked[@]}" for-each-ref --format='%(refname:short)' 2>/dev/null)
			;;
		?*)
			value=${value#"$prefix"}
			values+=("$value")
			text="$value${text:+  ($text)}"
			# A longer one would take two lines of the terminal.
			lines+=("${text:0:${COLUMNS:-80}}")
			;;
		esac
	done < <("${asked[@]}" arborist __complete -- "$@" "$cur" 2>/dev/null)
	# When bash only lists, the explanations are of use; otherwise they would be inserted.
	if [[ ${COMP_TYPE:-9} == 63 && ${#values[@]} -gt 1 ]]; then
		COMPREPLY+=("${lines[@]}")
		return
	fi
	for value in "${values[@]}"; do
		printf -v value '%q' "$value"
		case $value in
		*=) COMPREPLY+=("$value") ;;
		*) COMPREPLY+=("$value ") ;;
		esac
	done
}

# For `git arborist`: git has put the words into `words`, which are not shifted.
_git_arborist ()
{
	local first=${__git_cmd_idx:-0}
	local -a asked=(git)
	if ((first == 0)); then
		while ((first < cword)) && [[ ${words[first]} != arborist ]]; do
			((first++))
		done
	fi
	if [[ -n ${__git_C_args+set} ]]; then
		asked+=("${__git_C_args[@]}")
	fi
	if [[ -n ${__git_dir-} ]]; then
		asked+=(--git-dir="$__git_dir")
	fi
	__git_arborist_complete "${words[@]:first+1:cword-first-1}"
}

# For git-arborist and git-arborist-NAME.
__git_arborist_program ()
{
	local cur prev words cword
	local -a asked=(git) command=()
	if declare -F _get_comp_words_by_ref >/dev/null; then
		_get_comp_words_by_ref -n =: cur prev words cword
	else
		cur=${COMP_WORDS[COMP_CWORD]} cword=$COMP_CWORD words=("${COMP_WORDS[@]}")
	fi
	case ${words[0]##*/} in
	git-arborist-*) command=("${words[0]##*/git-arborist-}") ;;
	esac
	command=("${command[@]#git-arborist-}")
	__git_arborist_complete "${command[@]}" "${words[@]:1:cword-1}"
}

complete -o bashdefault -o default -o nospace -F __git_arborist_program git-arborist
