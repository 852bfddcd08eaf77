// Completion scripts for shells. Other users write the titles, so no script expands, evaluates or
// prints a suggestion: it accepts only values of letters, digits and hyphens, and passes them to
// the shell's own list.

const BASH = `# Completion of taskgraph for bash.
_taskgraph() {
  local value description
  COMPREPLY=()
  while IFS=$'\\t' read -r value description; do
    if [[ -n $value && $value != *[!A-Za-z0-9-]* && $value == "$2"* ]]; then COMPREPLY+=("$value"); fi
  done < <(command taskgraph complete -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$2" 2> /dev/null)
}
complete -F _taskgraph taskgraph`;

const ZSH = `#compdef taskgraph
# Completion of taskgraph for zsh.
_taskgraph() {
  local line value description
  local -i width=0
  local -a lines values shown
  lines=("\${(@f)$(command taskgraph complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2> /dev/null)}")
  lines=("\${(@)lines:#*[^A-Za-z0-9-]*$'\\t'*}")
  for line in "\${(@)lines}"; do
    value=\${line%%$'\\t'*}
    (( \${#value} > width )) && width=\${#value}
  done
  for line in "\${(@)lines}"; do
    value=\${line%%$'\\t'*} description=\${line#*$'\\t'}
    [[ -n $value && $value != *[^A-Za-z0-9-]* ]] || continue
    values+=("$value")
    shown+=("\${(r:width:)value}\${description:+  -- }$description")
  done
  compset -P '--*='
  compadd -l -d shown -a values
}
if [[ \${funcstack[1]} == _taskgraph ]]; then _taskgraph; else compdef _taskgraph taskgraph; fi`;

const FISH = `# Completion of taskgraph for fish.
function __taskgraph_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l option (string match -r -- '^--[a-z-]+=' "$word")
    for line in (command taskgraph complete -- $words[2..-1] "$word" 2> /dev/null)
        set -l parts (string split -m 1 \\t -- $line)
        if string match -qr '^[A-Za-z0-9-]+$' -- $parts[1]
            printf '%s%s\\t%s\\n' "$option" "$parts[1]" "$parts[2]"
        end
    end
end
complete -c taskgraph -e
complete -c taskgraph -f -a '(__taskgraph_complete)'`;

export const COMPLETION_SCRIPTS: ReadonlyMap<string, string> = new Map(
  Object.entries({ bash: BASH, zsh: ZSH, fish: FISH }),
);
