// The command line from its start to its exit code.
import { CommanderError } from 'commander';
import { CliError, describeFailure, EXIT, exitCodeOf } from './failures.ts';
import { processOutput } from './output/output.ts';
import { type ProgramParts, programOf } from './program.ts';

/** Runs the command of `process.argv`; gives the exit code. */
export async function main(): Promise<number> {
  const output = processOutput();
  const end = (failure: unknown): never => {
    output.error(describeFailure(failure, output.paintNotes));
    process.exit(exitCodeOf(failure));
  };
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has enough, such as `head`, is no failure.
    if (error.code === 'EPIPE') process.exit(0);
    end(new CliError('failed', `The output can't be written: ${error.message}`, 'What the command changed stays.'));
  });
  // Where notes and failures can't be written there is nobody to tell.
  process.stderr.on('error', () => process.exit(EXIT.failed));
  // A failure outside of every command, such as of a stream: a sentence and a code, as for any other.
  process.on('uncaughtException', end);
  return runCommand({ output, environment: process.env, given: process.argv.slice(2) });
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
