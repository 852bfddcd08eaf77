// The version of this release. All packages of a release have the same one.
import { readFileSync } from 'node:fs';

export const VERSION = readVersion();

function readVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
