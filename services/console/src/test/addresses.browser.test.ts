// The console as a client of the gateway gets it: its addresses, files, policy and sizes.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { describe, expect } from 'vitest';
import { test } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;
const ASSETS = new URL('../../dist/assets/', import.meta.url);
const assets = readdirSync(ASSETS);

describe('the gateway', () => {
  test('[CON1] serves one page at all addresses of the console, and revalidates it', async () => {
    const pages = await Promise.all(
      [
        '/',
        '/ready',
        '/board',
        '/plan',
        '/history',
        '/trash',
        '/task/some-id',
        '/shared',
        '/settings',
        '/admin/users',
        '/p/some-token',
        '/signin',
        '/register',
        '/forgot',
        '/ready/unknown',
      ].map(async (path) => {
        const response = await fetch(url + path);
        return [
          response.status,
          response.headers.get('cache-control'),
          response.headers.get('etag'),
          await response.text(),
        ];
      }),
    );
    const [[, , etag, page] = []] = pages;
    expect(new Set(pages.map((each) => JSON.stringify(each)))).toEqual(
      new Set([JSON.stringify([200, 'no-cache', etag, page])]),
    );
    expect(page).toContain('<title>Taskgraph</title>');
    const again = await fetch(`${url}/ready`, { headers: { 'If-None-Match': String(etag) } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('[CON1 GEN7] unknown paths are refused in JSON', async () => {
    for (const path of ['/api/ready', '/Ready', '/readyx', '/index.html', '/assets', '/assets/', '/assets/none.js']) {
      const response = await fetch(url + path);
      expect([path, response.status, await response.json()]).toEqual([
        path,
        404,
        expect.objectContaining({ error: 'not_found' }),
      ]);
    }
  });

  test('[CON1] no path leads out of the folder of the files', async () => {
    const paths = [
      '/assets/../index.html',
      '/assets/..%2findex.html',
      '/assets/%2e%2e/inputs.json',
      '/assets//etc/passwd',
    ];
    for (const path of paths) expect((await rawGet(path)).status, path).toBe(404);
  });

  test.each(assets.filter((name) => /\.(js|css|svg)$/.test(name)))(
    '[CON1 ZIP1] /assets/%s is immutable and compressed',
    async (name) => {
      const bytes = readFileSync(new URL(name, ASSETS));
      for (const [coding, decode] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync],
        ['', undefined],
      ] as const) {
        const response = await rawGet(`/assets/${name}`, { 'Accept-Encoding': coding });
        expect([response.status, response.headers['cache-control']]).toEqual([
          200,
          'public, max-age=31536000, immutable',
        ]);
        const isCompressed = decode !== undefined && bytes.length > 1_024;
        expect(response.headers['content-encoding']).toBe(isCompressed ? coding : undefined);
        expect((isCompressed ? decode(response.bytes) : response.bytes).equals(bytes)).toBe(true);
      }
    },
  );

  test('[CON2] the policy admits only files of the service, and no code from texts', async () => {
    const response = await fetch(url);
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types taskgraph",
    );
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
  });

  test('[CON2] the workers may load and call nothing', async () => {
    const workers = assets.filter((name) => /\.worker-.*\.js$/.test(name));
    expect(workers).toHaveLength(2);
    for (const name of workers) {
      const { headers } = await fetch(`${url}/assets/${name}`);
      expect(headers.get('content-security-policy'), name).toBe("default-src 'none'; frame-ancestors 'none'");
    }
  });

  test('[CON16] no page tells its address to others, since that of a published page is its key', async () => {
    for (const path of ['/', '/p/some-token']) {
      expect((await fetch(url + path)).headers.get('referrer-policy'), path).toBe('no-referrer');
    }
  });
});

describe('the browser', () => {
  test('[CON2] refuses to make code from a text', async ({ openConsole }) => {
    const { page, problems, expected } = await openConsole(url, '/signin');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    const attempts = [
      "document.body.innerHTML = '<b>x</b>'",
      "document.createElement('script').text = 'x'",
      "trustedTypes.createPolicy('taskgraph', {})",
      "navigator.serviceWorker.register('/service-worker.js')",
    ];
    for (const attempt of attempts) {
      const outcome = await page.evaluate(`(async () => {
        try { await (${attempt}); return 'done'; } catch ({ name }) { return name; }
      })()`);
      expect(outcome, attempt).toBe('TypeError');
    }
    expected.push(/TrustedHTML|TrustedScript|Trusted Types|trusted-types|require-trusted-types-for/);
    // The fixture sees them, so it would see those of any test.
    await expect
      .poll(() => problems.filter((each) => each.startsWith('error: policy: ')))
      .toHaveLength(attempts.length);
  });
});

test('the first load is small, and so is each view', () => {
  const bytes = (suffix: string) => (name: string) => readFileSync(new URL(`${name}${suffix}`, ASSETS)).length;
  const first = [
    ...readFileSync(new URL('../index.html', ASSETS), 'utf8').matchAll(/assets\/([^"]+\.(?:js|css))"/g),
  ].map(([, name = '']) => name);
  const sum = (ending: string) =>
    first
      .filter((name) => name.endsWith(ending))
      // Smaller ones are not compressed.
      .map((name) => bytes(assets.includes(`${name}.gz`) ? '.gz' : '')(name))
      .reduce((total, each) => total + each, 0);
  expect(sum('.js')).toBeGreaterThan(0);
  expect(sum('.js')).toBeLessThanOrEqual(125_000);
  expect(sum('.css')).toBeGreaterThan(0);
  expect(sum('.css')).toBeLessThanOrEqual(8_000);
  const lazy = assets.filter((name) => name.endsWith('.gz') && !first.includes(name.replace(/\.gz$/, '')));
  expect(lazy.length).toBeGreaterThan(2);
  for (const name of lazy) {
    // The readers and writers of all formats are one file, because a worker may load nothing (CON2).
    const most = name.startsWith('files.worker-') ? 118_000 : 30_000;
    expect(bytes('')(name), name).toBeLessThanOrEqual(most);
  }
});

/** `fetch` would resolve the dots in a path, and decode the answer. */
async function rawGet(path: string, headers: Record<string, string> = {}) {
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, path, headers, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(await response.toArray()) };
}
