// Runs the administrators' commands for a test's stack, as `npm run` does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import type { Stack } from '@taskgraph/launcher/stack';

/** The exit code and the output. */
interface CommandOutput {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a built program of services/admin. `environment` overrides that of the stack. */
export async function runAdmin(
  stack: Pick<Stack, 'environment'>,
  script: 'token' | 'user' | 'sign-in-link' | 'migrate' | 'export' | 'verify-export' | 'import' | 'checksums',
  commandArguments: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandOutput> {
  const program = join(REPOSITORY, 'services', 'admin', 'dist', `${script}.js`);
  const child = spawn(process.execPath, [program, ...commandArguments], {
    env: { ...process.env, ...stack.environment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const take = (chunk: string) => {
    output += chunk;
  };
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
