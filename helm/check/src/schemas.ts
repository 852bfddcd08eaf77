// Validates the rendered objects strictly against Kubernetes' own schemas, for its oldest and
// newest supported version.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { template } from './helm.ts';
import { run } from './program.ts';
import type { Validator } from './tools.ts';

/**
 * Throws with the name and the error of each invalid object. Returns the number of valid objects
 * and the kinds without a schema.
 */
export async function checkSchemas(helm: string, file: string, { program, versions }: Validator): Promise<string> {
  let valid = 0;
  const custom = new Set<string>();
  for (const version of versions) {
    const said = await validate(program, await template(helm, { files: [file], kubeVersion: version }), version);
    const wrong = said.filter((line) => line.startsWith('ERROR'));
    if (wrong.length > 0) throw new Error(`${file} is not valid for Kubernetes ${version}:\n${wrong.join('\n')}`);
    valid += said.filter((line) => line.startsWith('INFO')).length;
    // Kubernetes' schemas do not contain these kinds; an API server with their definitions does
    // (`--cluster`).
    for (const line of said) custom.add(/^WARN .*schema for kind (\S+)/.exec(line)?.[1] ?? '');
  }
  custom.delete('');
  if (valid === 0) throw new Error(`nothing of ${file} was validated`);
  const without = custom.size === 0 ? '' : `, no schema for ${[...custom].sort().join(', ')}`;
  return `${valid} objects valid for ${versions.join(' and ')}${without}`;
}

async function validate(program: string, text: string, version: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'taskgraph-helm-'));
  try {
    const path = join(folder, 'rendered.yaml');
    writeFileSync(path, text);
    const minor = version.split('.').slice(0, 2).join('.');
    const { stdout, stderr } = await run(program, ['--strict', '--kubernetes-version', minor, path]);
    return `${stdout}\n${stderr}`.split('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
