#!/usr/bin/env node
// Starts the command line. A fresh checkout is built first, so that
// `node_modules/.bin/taskgraph` works there.
import { existsSync } from 'node:fs';

if (!existsSync(new URL('../dist/main.js', import.meta.url))) {
  const { prepare } = await import('../../../deploy/prepare.mjs');
  prepare();
}
const { main } = await import('../dist/main.js');
process.exitCode = await main();
