// The demo's service and token: from the environment, or from the stack that runs in DATA_DIR.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface Access {
  readonly url: string;
  readonly token: string;
}

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * TASKGRAPH_URL and TASKGRAPH_TOKEN, or those of the running stack with a new token of its demo
 * user.
 */
export async function findAccess(environment: NodeJS.ProcessEnv): Promise<Access> {
  const { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: token } = environment;
  if (url && token) return { url, token };
  const dataDir = resolve(environment.DATA_DIR || join(REPOSITORY, '.data'));
  const file = join(dataDir, 'stack.json');
  if (!existsSync(file)) {
    throw new Error('No stack is running. Start one with `npm start`, or give TASKGRAPH_URL and TASKGRAPH_TOKEN.');
  }
  const stack = JSON.parse(readFileSync(file, 'utf8')) as { port: number };
  const script = join(REPOSITORY, 'services/admin/dist/token.js');
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--email', 'demo@example.com'], {
    env: { ...environment, DATA_DIR: dataDir },
  });
  return { url: url || `http://127.0.0.1:${stack.port}`, token: token || (stdout.trim().split('\n').at(-1) as string) };
}
