// The program: its options and commands, each in the file of its subject. Commander parses: it has no dependencies, types its options, and
// suggests what was meant.
import { Command } from 'commander';
import { addAccountCommands } from './commands/account.ts';
import { addChangingCommands } from './commands/changing.ts';
import { addCompletion } from './commands/completion.ts';
import { addExplainingCommands } from './commands/explaining.ts';
import { addExport } from './commands/export.ts';
import { addHistoryCommands } from './commands/history.ts';
import { addImport } from './commands/importing.ts';
import { addLinkCommands } from './commands/links.ts';
import { addMcp } from './commands/mcp.ts';
import { addPlanningCommands } from './commands/planning.ts';
import { addReadingCommands } from './commands/reading.ts';
import { addSharingCommands } from './commands/sharing.ts';
import { addWatch } from './commands/watch.ts';
import { contextOf, type Shared } from './context.ts';
import type { Output } from './output/output.ts';
import { openProfiles } from './service/profiles.ts';

const HELP = `
NODE is an id, the end of an id as lists show it, a title, or a part of a title.

Environment:
  TASKGRAPH_URL, TASKGRAPH_TOKEN   override every profile
  TASKGRAPH_PROFILE                the profile to use
  NO_COLOR                         no colours

Exit codes:
  0 success   1 failure   2 wrong usage   3 not signed in   4 not found   5 forbidden   6 conflict   7 unreachable   8 rate limit`;

export interface ProgramParts {
  readonly output: Output;
  readonly environment: NodeJS.ProcessEnv;
  readonly given: readonly string[];
}

/** Every failure of parsing is thrown, once it is told. */
export function programOf({ output, environment, given }: ProgramParts): Command {
  const program = new Command('taskgraph')
    .description('Tasks and their dependencies in a terminal.')
    .version('0.1.0')
    .option('--json', 'print JSON, for scripts')
    .option('--offline', 'read the local copy, without the service')
    .option('--profile <name>', 'the profile to use')
    .option('--no-color', 'no colours')
    .addHelpText('after', HELP)
    .showHelpAfterError('Run with --help for all commands and options.')
    .configureOutput({
      writeOut: (text) => output.text(text.trimEnd()),
      writeErr: (text) => output.error(text.trimEnd()),
    })
    .exitOverride();
  // Options count wherever they stand, as people write them.
  const shared = () => program.opts<Shared>();
  const wanted = profileIn(given);
  const context = contextOf(output, openProfiles(environment, wanted), shared);
  addAccountCommands(program, context, shared);
  addReadingCommands(program, context, shared);
  addExplainingCommands(program, context, shared);
  addChangingCommands(program, context, shared);
  addLinkCommands(program, context, shared);
  addSharingCommands(program, context, shared);
  addHistoryCommands(program, context, shared);
  addPlanningCommands(program, context, shared);
  addImport(program, context, shared);
  addExport(program, context, shared);
  addWatch(program, context, shared);
  addMcp(program, context);
  addCompletion(program, context, given);
  return program;
}

/** The profile must be known before the parser runs: completions ask for its graph. */
function profileIn(given: readonly string[]): string | undefined {
  const at = given.findIndex((word) => word === '--profile' || word.startsWith('--profile='));
  if (at < 0) return undefined;
  return given[at] === '--profile' ? given[at + 1] : given[at]?.slice('--profile='.length);
}
