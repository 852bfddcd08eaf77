// Validates what the matrix renders against Kubernetes' own schemas, strictly, for the oldest and the newest version.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { template } from './helm.ts';
import type { MatrixFile } from './matrix.ts';
import { run } from './running.ts';
import type { Validator } from './tools.ts';

export interface SchemaCounts {
  readonly valid: number;
  /** Kinds that Kubernetes itself does not have: its schemas say nothing of them. */
  readonly custom: readonly string[];
}

/** Throws where an object is not valid, naming it and what is wrong. */
export async function checkSchemas(helm: string, file: MatrixFile, validator: Validator): Promise<SchemaCounts> {
  let valid = 0;
  const custom = new Set<string>();
  for (const version of validator.versions) {
    const { text } = await template(helm, file.path, version);
    const said = await validate(validator.program, text, version);
    const wrong = said.filter((line) => line.startsWith('ERROR'));
    if (wrong.length > 0) throw new Error(`${file.name} is not valid for Kubernetes ${version}:\n${wrong.join('\n')}`);
    valid += said.filter((line) => line.startsWith('INFO')).length;
    for (const line of said) {
      const kind = /^WARN .*schema for kind (\S+)/.exec(line)?.[1];
      if (kind !== undefined) custom.add(kind);
    }
  }
  if (valid === 0) throw new Error(`nothing of ${file.name} was validated`);
  return { valid, custom: [...custom].sort() };
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
