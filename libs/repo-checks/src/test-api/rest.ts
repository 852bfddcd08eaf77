// Schemathesis against a running service: all of its checks, with the examples, bounds, generated
// data and links of the description.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { CACHE, MANIFESTS, pythonTool } from '../check-api/tools.ts';

interface RestRun {
  readonly url: string;
  readonly token: string;
  readonly seed: number;
  readonly seconds: number;
  /** Only a small amount of generated data. */
  readonly isQuick: boolean;
  /** Receives findings and progress. */
  readonly print: (text: string) => void;
}

/** Whether there are no findings. It reports them. Without Python it is skipped. */
export async function testRest({ url, token, seed, seconds, isQuick, print }: RestRun): Promise<boolean> {
  const programs = pythonTool('schemathesis');
  if (programs === null) {
    print('REST: SKIPPED, this machine lacks Python 3\n');
    return true;
  }
  const phases = isQuick ? 'fuzzing' : 'examples,coverage,fuzzing,stateful';
  // A short run is limited by its cases: on a busy machine, its time would end before the first.
  const bounds = ['--phases', phases, ...(isQuick ? ['--max-examples', '2'] : ['--max-time', String(seconds)])];
  const given = ['--config-file', join(MANIFESTS, 'schemathesis.toml'), 'run', `${url}/openapi.json`];
  const child = spawn(join(programs, 'schemathesis'), [...given, '--seed', String(seed), '--no-color', ...bounds], {
    // It writes its state into its working folder.
    cwd: CACHE,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TASKGRAPH_TOKEN: token, SCHEMATHESIS_HOOKS: join(MANIFESTS, 'schemathesis_hooks.py') },
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', print);
  const [status] = (await once(child, 'close')) as [number | null];
  return status === 0;
}
