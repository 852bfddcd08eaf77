// Two Go clients that oapi-codegen and ogen generate from openapi.json. `libs/repo-checks/clients/go`
// fixes the versions of both and has a program for each.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../check-api/process.ts';
import { hasGo, OPENAPI, PROGRAMS, runGo } from '../check-api/tools.ts';
import { type ClientOutcome, type ClientStack, outcomeOf, skipped } from './client-test.ts';

/** The command that generates each client, by the folder of its program. */
const GENERATORS = {
  oapi: ['oapi-codegen', '-config', 'oapi/config.yaml', OPENAPI],
  ogen: ['ogen', '-config', 'ogen/config.yaml', '-target', 'ogen/api', '-package', 'api', '-clean', OPENAPI],
} as const;

/**
 * Without paths of the folder, unchanged code comes from the build cache. The compiler needs a third
 * of the time if it does not optimize the generated code.
 */
const BUILD = ['-trimpath', '-gcflags=./...=-N -l', '-ldflags=-s -w'] as const;

export async function testGoClients({ url, newToken }: ClientStack): Promise<ClientOutcome> {
  if (!hasGo()) return skipped('Go');
  const folder = mkdtempSync(join(tmpdir(), 'taskgraph-go-'));
  try {
    cpSync(join(PROGRAMS, 'go'), folder, { recursive: true });
    const sizes = [];
    for (const [name, given] of Object.entries(GENERATORS)) {
      mkdirSync(join(folder, name, 'api'));
      runGo(['tool', ...given], folder);
      runGo(['build', ...BUILD, '-o', join(folder, 'plan'), `./${name}`], folder);
      const env = { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: await newToken(`${name}@example.com`) };
      const { succeeded, message } = outcomeOf(run(join(folder, 'plan'), [], { env }), '');
      if (!succeeded) return { succeeded, message: `${name}: ${message}` };
      sizes.push(`${name} ${linesIn(join(folder, name, 'api')).toLocaleString('en')} lines`);
    }
    return { succeeded: true, message: `both clients make nodes, link, find and read them (${sizes.join(', ')})` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function linesIn(folder: string): number {
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  return texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
}
