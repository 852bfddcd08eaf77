// The configuration with which Neo4j starts.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { prepareNeo4j } from './neo4j.ts';

test.each([
  ['three seconds', undefined, '3s'],
  ['the requested time', 60, '60s'],
])('without a limit by its client, a transaction may last %s', (_what, transactionSeconds, written) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'taskgraph-neo4j-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const ports = { boltPort: 1, httpPort: 2 };
  prepareNeo4j({ ...ports, dataDir, jars: '', classArguments: [], heapMegabytes: 512, transactionSeconds });
  const lines = readFileSync(join(dataDir, 'neo4j', 'conf', 'neo4j.conf'), 'utf8').split('\n');
  expect(lines.filter((line) => line.startsWith('db.transaction.timeout='))).toEqual([
    `db.transaction.timeout=${written}`,
  ]);
});
