// complete: prints the scripts for shells and answers their requests. Suggests the nodes of the local copy, so that no keystroke
// waits for a service.
import type { Command } from 'commander';
import { COMPLETION_SCRIPTS } from '../completion/scripts.ts';
import { suggestionsFor } from '../completion/suggestions.ts';
import type { Context } from '../context.ts';
import { CliError } from '../failures.ts';

const SHELLS = [...COMPLETION_SCRIPTS.keys()].join(', ');
/** Scripts of the release before take the last line for a number. */
const END = ':4';

/** Adds `taskgraph complete SHELL`; its script asks by `taskgraph complete -- WORDS`. */
export function addCompletion(program: Command, context: Context, given: readonly string[]): void {
  const { output } = context;
  program
    .command('complete')
    .description('print the completion script for a shell')
    .argument('<shell...>', `one of ${SHELLS}`)
    .action(async (words: string[]) => {
      if (given[given.indexOf('complete') + 1] === '--') {
        // Where nobody is signed in there is nothing to offer, which is no failure at a key.
        const graph = await context.known().catch(() => null);
        const suggestions = suggestionsFor(program, { words, graph });
        const lines = suggestions.map(({ value, description }) => `${value}\t${description}`);
        output.text([...lines, END].join('\n'));
        return;
      }
      const [shell = ''] = words;
      const script = COMPLETION_SCRIPTS.get(shell);
      if (script === undefined)
        throw new CliError('usage', `There is no completion for ${shell}.`, `There is one for ${SHELLS}.`);
      output.text(script);
    });
}
