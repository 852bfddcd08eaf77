// Entry point: runs one command and maps failures to exit codes.
import { CommanderError } from 'commander';
import { CliError, describeFailure, EXIT, exitCodeOf } from './failures.ts';
import { processOutput } from './output/output.ts';
import { createProgram, type ProgramParts } from './program.ts';

/** Runs the command in `process.argv` and returns the exit code. */
export async function main(): Promise<number> {
  const output = processOutput();
  const end = (failure: unknown): never => {
    output.error(describeFailure(failure, output.paintNotes));
    process.exit(exitCodeOf(failure));
  };
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader such as `head` may close the pipe early. That is not a failure.
    if (error.code === 'EPIPE') process.exit(0);
    end(
      new CliError(
        'failed',
        `The output can't be written: ${error.message}`,
        'Changes that the command made are kept.',
      ),
    );
  });
  // Without standard error the failure can't be reported.
  process.stderr.on('error', () => process.exit(EXIT.failed));
  // A failure outside commands, such as a stream error, gets a message and an exit code too.
  process.on('uncaughtException', end);
  return runCommand({ output, environment: process.env, args: process.argv.slice(2) });
}

/** Runs a command and returns its exit code. */
export async function runCommand(parts: ProgramParts): Promise<number> {
  const { output, args } = parts;
  const program = createProgram(parts);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already printed the error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    output.error(describeFailure(error, output.paintNotes));
    return exitCodeOf(error);
  }
}
