// The files of a console, made by the test.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { consoleFiles } from './console-files.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A folder with these files, by their names in `assets`, and a page. */
function folderWith(assets: Record<string, string>, page: string | null = '<!doctype html>'): string {
  const folder = mkdtempSync(join(tmpdir(), 'taskgraph-console-'));
  folders.push(folder);
  mkdirSync(join(folder, 'assets'));
  if (page !== null) writeFileSync(join(folder, 'index.html'), page);
  writeFileSync(join(folder, 'service-worker.js'), 'worker');
  for (const [name, text] of Object.entries(assets)) writeFileSync(join(folder, 'assets', name), text);
  return folder;
}

test('[CON1] all addresses of the console are one page, and no other path is', () => {
  const files = consoleFiles(folderWith({ 'index-x1.js': 'x' }));
  const page = files.get('/');
  expect(page?.type).toBe('text/html; charset=utf-8');
  for (const path of ['/ready', '/task', '/task/a/b', '/signin/', '/register', '/forgot']) {
    expect(files.get(path), path).toBe(page);
  }
  for (const path of ['/api/graph', '/index.html', '/READY', '/ready.html', '/../ready', '/assets', '/toString']) {
    expect(files.get(path), path).toBeUndefined();
  }
});

test('[CON1 ZIP1] an asset has the compressed forms of its build, and they are no assets', async () => {
  const files = consoleFiles(
    folderWith({ 'index-x1.js': 'plain', 'index-x1.js.br': 'as br', 'index-x1.js.gz': 'as gzip' }),
  );
  const asset = files.get('/assets/index-x1.js');
  expect(asset).toMatchObject({ type: 'text/javascript; charset=utf-8', bytes: Buffer.from('plain') });
  expect(asset?.headers).toEqual({ 'Cache-Control': 'public, max-age=31536000, immutable' });
  expect([String(await asset?.compressed('br')), String(await asset?.compressed('gzip'))]).toEqual([
    'as br',
    'as gzip',
  ]);
  expect(files.get('/assets/index-x1.js.br')).toBeUndefined();
});

test('[CON1] only files of the folder are assets, whatever the path', () => {
  const files = consoleFiles(folderWith({ 'a.js': 'x', 'notes.txt': 'x' }));
  for (const name of ['../index.html', '..%2findex.html', 'notes.txt', '', 'a.js/', '/a.js', '__proto__']) {
    expect(files.get(`/assets/${name}`), name).toBeUndefined();
  }
});

test('[CON34] the service worker is revalidated, and may only request files of the service', () => {
  const worker = consoleFiles(folderWith({})).get('/service-worker.js');
  expect(worker).toMatchObject({ type: 'text/javascript; charset=utf-8', bytes: Buffer.from('worker') });
  expect(worker?.headers).toEqual({
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': "default-src 'none'; connect-src 'self'",
  });
});

test('without a build the gateway does not start, and says what to do', () => {
  expect(() => consoleFiles(folderWith({}, null))).toThrow('build it with npm run build, or set CONSOLE=off');
});

test('[CON1] a folder with more than a console is refused', () => {
  const many = Object.fromEntries(Array.from({ length: 401 }, (_, index) => [`${index}.js`, '']));
  expect(() => consoleFiles(folderWith(many))).toThrow('more than 400 files');
  expect(() => consoleFiles(folderWith({ 'a.js': 'x'.repeat(17 * 1_024 * 1_024) }))).toThrow('bytes');
});
