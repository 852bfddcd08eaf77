// The size of the client in a page, without socket.io-client. docs/client.md names the figures.
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import * as nodeFields from '../node-fields.ts';

/** Bytes after minifying and gzip. */
const AT_MOST = {
  'replica/open-replica.ts': 22_300,
  'connect.ts': 4_500,
  'storage/indexed-db-storage.ts': 3_200,
};

/** As packing does (deploy/pack.mjs). */
const nodeFieldValues = {
  name: 'values',
  load: (id: string) =>
    /[\\/]client[\\/]src[\\/]node-fields\.ts$/.test(id)
      ? Object.entries(nodeFields)
          .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
          .join('\n')
      : null,
};

test.each(Object.entries(AT_MOST))('%s has at most %i bytes', async (file, most) => {
  const bundle = await rolldown({
    input: new URL(`../${file}`, import.meta.url).pathname,
    platform: 'browser',
    plugins: [nodeFieldValues],
    external: ['socket.io-client'],
    resolve: { conditionNames: ['taskgraph-source', 'import', 'browser', 'default'] },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  const [{ code }] = output;
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(most);
});
