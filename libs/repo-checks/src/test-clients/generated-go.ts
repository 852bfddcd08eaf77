// Two Go clients that oapi-codegen and ogen generate from openapi.json. `libs/repo-checks/clients/go`
// fixes the versions of both and has a program for each.
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../check-api/process.ts';
import { hasGo, OPENAPI, PROGRAMS, runGo } from '../check-api/tools.ts';
import { type ClientTest, verifyOutput } from './client-test.ts';

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

export const goClients: ClientTest = {
  name: 'oapi-codegen and ogen',
  lacks: () => (hasGo() ? null : 'Go'),
  build(folder) {
    cpSync(join(PROGRAMS, 'go'), folder, { recursive: true });
    for (const [name, given] of Object.entries(GENERATORS)) {
      mkdirSync(join(folder, name, 'api'));
      runGo(['tool', ...given], folder);
      runGo(['build', ...BUILD, '-o', join(folder, `plan-${name}`), `./${name}`], folder);
    }
  },
  async run(folder, { url, newToken }) {
    const sizes = [];
    for (const name of Object.keys(GENERATORS)) {
      const env = { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: await newToken(`${name}@example.com`) };
      verifyOutput(must(join(folder, `plan-${name}`), [], { env }));
      sizes.push(`${name} ${linesIn(join(folder, name, 'api')).toLocaleString('en')} lines`);
    }
    return `both clients make nodes, link, find and read them (${sizes.join(', ')})`;
  },
};

function linesIn(folder: string): number {
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  return texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
}
