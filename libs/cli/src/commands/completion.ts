// completion: scripts for shells, and what they ask for. The nodes that they offer are those of the copy that is here: nobody waits for a service at a key.
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { Graph } from '../graph/graph.ts';
import { shortIdsOf, slugOf } from '../graph/references.ts';

/** Shells ask by this word. */
const ASKED = 'complete';
const MOST_OFFERED = 1_000;

/** A function of the package bash-completion that the script calls, where that is not installed. */
const WITHOUT_PACKAGE = `declare -F _get_comp_words_by_ref > /dev/null || _get_comp_words_by_ref() {
  words=("\${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=\${words[cword]}; prev=\${words[cword - 1]}
}`;

/** Adds `taskgraph complete zsh`, `bash`, `fish` and `powershell`, each of which prints a script. */
export async function addCompletion(program: Command, context: Context, given: readonly string[]): Promise<void> {
  const completions = tab(program);
  if (given[0] === ASKED && given[1] === 'bash') context.output.line(WITHOUT_PACKAGE);
  if (given[0] !== ASKED || given[1] !== '--') return;
  const graph = await here(context);
  for (const [name, command] of completions.commands) {
    const takesNodes = program.commands.find((each) => each.name() === name)?.registeredArguments ?? [];
    for (const argument of takesNodes) {
      if (!['node', 'source', 'target', 'parent'].includes(argument.name())) continue;
      command.argument(argument.name(), (offer) => offerNodes(offer, graph), argument.variadic);
    }
  }
}

/** Where nobody is signed in, or nothing was read yet, there is nothing to offer, which is no failure at a key. */
async function here(context: Context): Promise<Graph | null> {
  return context.known().catch(() => null);
}

/** Each node by its id and by its title as one word. */
function offerNodes(offer: (value: string, description: string) => void, graph: Graph | null): void {
  const nodes = [...(graph?.nodes.values() ?? [])].slice(0, MOST_OFFERED);
  const shortId = shortIdsOf(nodes);
  for (const { id, title } of nodes) {
    offer(shortId(id), title);
    const slug = slugOf(title);
    if (slug !== '') offer(slug, title);
  }
}
