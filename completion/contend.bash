# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion of contend's command line in bash 4.3 or later: the program itself says what there is.
# To have it without installing: . completion/contend.bash

# The words up to the cursor, in the array `typed`, as contend is given them: bash cuts them at the
# characters of COMP_WORDBREAKS, = and : among them, and puts no blank between those pieces.
_contend_typed()
{
	local rest=${COMP_LINE:0:COMP_POINT} piece gap

	typed=()
	for piece in "${COMP_WORDS[@]}"; do
		gap=${rest%%[![:space:]]*}
		rest=${rest#"$gap"}
		[[ $rest == "$piece"* ]] || piece=$rest
		rest=${rest#"$piece"}
		if [[ $gap || ${#typed[@]} == 0 ]]; then
			typed+=("$piece")
		else
			typed[-1]+=$piece
		fi
		[[ $rest ]] || break
	done
}

_contend()
{
	local typed candidate head program files=

	COMPREPLY=()
	_contend_typed
	# What has been quoted is left to bash, which knows files.
	[[ ${typed[-1]} != *[\'\"\\]* ]] || return
	program=${typed[0]/#\~\//$HOME/}
	# What stands before the piece that bash will put a candidate in the place of.
	head=${typed[-1]%"${typed[-1]##*[$COMP_WORDBREAKS]}"}
	while IFS= read -r candidate; do
		if [[ $candidate == : ]]; then
			files=yes
		else
			COMPREPLY+=("${candidate#"$head"}")
		fi
	done < <("$program" complete -- "${typed[@]:1}" 2>/dev/null)
	# Names that go on get no blank behind them, and files are named only where they are wanted.
	[[ ${#COMPREPLY[@]} != 1 || $COMPREPLY != *[=:] ]] || compopt -o nospace
	[[ $files ]] || compopt +o default
}

complete -o default -F _contend contend
