// Writes dist/conformance.md, the tests that prove each rule: npm run docs:conformance.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import { readRepository } from '../tidy/source.ts';
import { conformanceOf } from './conformance.ts';

const path = join(REPOSITORY, 'dist', 'conformance.md');
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, conformanceOf(readRepository()));
process.stdout.write(`${path}\n`);
