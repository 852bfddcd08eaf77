// complete: prints shell scripts and answers their requests. Suggestions come from the local copy,
// so that no keystroke waits for a service.
import type { Command } from 'commander';
import { COMPLETION_SCRIPTS } from '../completion/scripts.ts';
import { suggestionsFor } from '../completion/suggestions.ts';
import type { Context } from '../context.ts';
import { CliError } from '../failures.ts';

const SHELLS = [...COMPLETION_SCRIPTS.keys()].join(', ');
/** Scripts of the previous release expect a number in the last line. */
const END = ':4';

/** Adds `taskgraph complete SHELL`; its script calls `taskgraph complete -- WORDS`. */
export function addCompletion(program: Command, context: Context, args: readonly string[]): void {
  const { output } = context;
  program
    .command('complete')
    .description('print the completion script for a shell')
    .argument('<shell...>', `one of ${SHELLS}`)
    .action(async (words: string[]) => {
      if (args[args.indexOf('complete') + 1] === '--') {
        // Without an account there are no nodes to suggest. A key press must not print an error.
        const graph = await context.localGraph().catch(() => null);
        const suggestions = suggestionsFor(program, { words, graph });
        const lines = suggestions.map(({ value, description }) => `${value}\t${description}`);
        output.text([...lines, END].join('\n'));
        return;
      }
      const [shell = ''] = words;
      const script = COMPLETION_SCRIPTS.get(shell);
      if (script === undefined)
        throw new CliError('usage', `There is no completion for ${shell}.`, `Supported shells: ${SHELLS}.`);
      output.text(script);
    });
}
