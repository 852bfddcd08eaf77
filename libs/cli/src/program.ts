// Builds the Commander program with its global options and commands. Commander has no dependencies,
// types its options and suggests corrections.
import { Command } from 'commander';
import { addAccountCommands } from './commands/account.ts';
import { addAdminCommands } from './commands/admin.ts';
import { addBotCommands } from './commands/bots.ts';
import { addCalendarCommands } from './commands/calendars.ts';
import { addClaimCommands } from './commands/claims.ts';
import { addCompletion } from './commands/completion.ts';
import { addExport } from './commands/export.ts';
import { addHistoryCommands } from './commands/history.ts';
import { addHookListen } from './commands/hook-listen.ts';
import { addHookCommands } from './commands/hooks.ts';
import { addImport } from './commands/import.ts';
import { addSourceCommands } from './commands/import-update.ts';
import { addLinkCommands } from './commands/links.ts';
import { addMcp } from './commands/mcp.ts';
import { addNodeCommands } from './commands/node-changes.ts';
import { addViewCommands } from './commands/node-views.ts';
import { addPlanCommands } from './commands/plan.ts';
import { addShareCommands } from './commands/share.ts';
import { addTokenCommands } from './commands/tokens.ts';
import { addWatch } from './commands/watch.ts';
import { addWhy } from './commands/why.ts';
import { createContext, type GlobalOptions } from './context.ts';
import type { Output } from './output/output.ts';
import { createProfiles } from './service/profiles.ts';
import { VERSION } from './version.ts';

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
  readonly args: readonly string[];
}

/** Commander prints a parse error and then throws it. */
export function createProgram({ output, environment, args }: ProgramParts): Command {
  const program = new Command('taskgraph')
    .description('Tasks and their dependencies in a terminal.')
    .version(VERSION)
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
  // Global options may appear before or after the command.
  const globalOptions = () => program.opts<GlobalOptions>();
  const profile = profileIn(args);
  const context = createContext(output, createProfiles(environment, profile), globalOptions);
  addAccountCommands(program, context, globalOptions);
  addTokenCommands(program, context, globalOptions);
  addBotCommands(program, context, globalOptions);
  addCalendarCommands(program, context, globalOptions);
  addHookListen(addHookCommands(program, context, globalOptions), context, globalOptions);
  addAdminCommands(program, context, globalOptions);
  addViewCommands(program, context, globalOptions);
  addWhy(program, context, globalOptions);
  addNodeCommands(program, context, globalOptions);
  addClaimCommands(program, context, globalOptions);
  addLinkCommands(program, context, globalOptions);
  addShareCommands(program, context, globalOptions);
  addHistoryCommands(program, context, globalOptions);
  addPlanCommands(program, context, globalOptions);
  addImport(program, context, globalOptions);
  addSourceCommands(program, context, globalOptions);
  addExport(program, context, globalOptions);
  addWatch(program, context, globalOptions);
  addMcp(program, context);
  addCompletion(program, context, args);
  return program;
}

/**
 * Reads `--profile` before Commander parses, because completion needs the graph of that profile.
 */
function profileIn(args: readonly string[]): string | undefined {
  const at = args.findIndex((word) => word === '--profile' || word.startsWith('--profile='));
  if (at < 0) return undefined;
  return args[at] === '--profile' ? args[at + 1] : args[at]?.slice('--profile='.length);
}
