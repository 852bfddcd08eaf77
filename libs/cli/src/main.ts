// The command line from its start to its exit code.
import { CommanderError } from 'commander';
import { describeFailure, exitCodeOf } from './failures.ts';
import { processOutput } from './output/output.ts';
import { type ProgramParts, programOf } from './program.ts';

/** Runs the command of `process.argv`; gives the exit code. */
export async function main(): Promise<number> {
  // A reader that has enough, such as `head`, is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  return runCommand({ output: processOutput(), environment: process.env, given: process.argv.slice(2) });
}

/** Runs a command to its end; gives the exit code. */
export async function runCommand(parts: ProgramParts): Promise<number> {
  const { output, given } = parts;
  const program = programOf(parts);
  try {
    await program.parseAsync(given, { from: 'user' });
    return 0;
  } catch (error) {
    // The parser has said what is wrong.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    output.error(describeFailure(error, output.paintNotes));
    return exitCodeOf(error);
  }
}
