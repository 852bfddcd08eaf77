// The version of this service. A release sets it in the manifest, and nowhere else.
import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };

export const VERSION = manifest.version;
