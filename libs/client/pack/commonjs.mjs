// Makes `dist/commonjs` of what tsc has built: the entries and all declarations, for projects in CommonJS. The entries load the modules
// beside them, so that both kinds of projects have the same classes. Node does this by `require` since 20.19.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url));
const dist = join(folder, 'dist');
const target = join(dist, 'commonjs');

rmSync(target, { recursive: true, force: true });
for (const path of readdirSync(dist, { recursive: true }).filter((name) => name.endsWith('.d.ts'))) {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  copyFileSync(join(dist, path), join(target, path));
}
// Node and TypeScript take the files of a folder for what its manifest says.
writeFileSync(join(target, 'package.json'), '{"type": "commonjs"}\n');
const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
for (const entry of Object.values(exports)) {
  const path = entry.require?.default;
  if (path === undefined) continue;
  const file = join(folder, path);
  const module = join(dist, relative(target, file));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `module.exports = require('${relative(dirname(file), module).replaceAll('\\', '/')}');\n`);
}
