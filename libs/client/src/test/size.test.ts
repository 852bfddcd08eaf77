// The weight of the client in a page. Without socket.io-client, which weighs by itself; docs/client.md names the figures.
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

/** Bytes after minifying and gzip. */
const AT_MOST = { 'replica/open-replica.ts': 16_800, 'connect.ts': 4_500, 'storage/indexed-db-storage.ts': 1_000 };

test.each(Object.entries(AT_MOST))('%s weighs at most %i bytes', async (file, most) => {
  const bundle = await rolldown({
    input: new URL(`../${file}`, import.meta.url).pathname,
    platform: 'browser',
    external: ['socket.io-client'],
    resolve: { conditionNames: ['taskgraph-source', 'import', 'browser', 'default'] },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  const [{ code }] = output;
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(most);
});
