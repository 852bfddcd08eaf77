// The published package: its content, the examples of its README, and a page that bundles it.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, openBrowser, openPage } from '@taskgraph/testkit/stack/browser';
import { installPacked, type PackedPackage, type Project } from '@taskgraph/testkit/stack/packed';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../connect.ts';

const stack = sharedStack();
const [url = ''] = stack.urls;
const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** The example under a heading, and whether it is written for React. */
function exampleUnder(heading: string): { code: string; suffix: string } {
  const [, section = ''] = README.split(`\n## ${heading}\n`);
  const [, suffix = '', code = ''] = /^```(tsx?)\n([\s\S]*?)^```/m.exec(section) ?? [];
  if (code === '') throw new Error(`there is no example under ${heading}`);
  return { code, suffix };
}

let project: Project;
let browser: Browser;
beforeAll(async () => {
  const others = ['react', 'react-dom', '@types/react', '@types/node'];
  [project, browser] = await Promise.all([installPacked(['client'], others), openBrowser()]);
});
afterAll(() => Promise.all([project?.remove(), browser?.close()]));

/** Writes the example into the project, compiles it, and runs it as a new user. */
async function runExample(heading: string): Promise<string[]> {
  const name = heading.replace(/\W/g, '-').toLowerCase();
  await writeFile(join(project.folder, `${name}.ts`), exampleUnder(heading).code);
  expect(await project.compile(`${name}.ts`)).toBe('');
  const token = await stack.token(emailOf(name));
  return project.run(`${name}.js`, { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: token });
}

test('the package depends on no private package and has all documented files', async () => {
  const installed = join(project.folder, 'node_modules', '@taskgraph', 'client');
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    dependencies: object;
  };
  expect(Object.keys(manifest.dependencies)).toEqual([
    '@noble/hashes',
    'js-yaml',
    'papaparse',
    'saxes',
    'socket.io-client',
    'standardwebhooks',
  ]);
  const { files, size, unpackedSize } = project.packed[0] as PackedPackage;
  expect(files).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'dist/client.js', 'dist/react.d.ts']));
  expect(files.filter((path) => /test|\.map$|tsbuildinfo/.test(path))).toEqual([]);
  const text = files
    .filter((path) => path.startsWith('dist/'))
    .map((path) => readFileSync(join(installed, path), 'utf8'));
  expect(text.filter((each) => /@taskgraph\/(?!client)|\bzod\b/.test(each))).toEqual([]);
  expect(size).toBeLessThan(253_000);
  // The copy of the declarations for CommonJS is a fifth of it.
  expect(unpackedSize).toBeLessThan(1_050_000);
  // A release moves the changes to its version.
  expect(readFileSync(join(installed, 'CHANGELOG.md'), 'utf8')).toContain('\n## Unreleased\n');
});

test('projects in CommonJS get the same classes and hooks, and their types', async () => {
  await writeFile(
    join(project.folder, 'required.cts'),
    `import client = require('@taskgraph/client');
import react = require('@taskgraph/client/react');
import storage = require('@taskgraph/client/file-storage');
import transfer = require('@taskgraph/client/transfer');
const error: Error = new client.TaskgraphError({ code: 'client.closed', message: 'It is closed.', traceId: null });
void (async () => {
  const [one, two, three, four] = [
    await import('@taskgraph/client'),
    await import('@taskgraph/client/react'),
    await import('@taskgraph/client/file-storage'),
    await import('@taskgraph/client/transfer'),
  ] as const;
  console.log(error instanceof one.TaskgraphError, react.useNode === two.useNode);
  console.log(storage.fileStorage === three.fileStorage, transfer.readFile === four.readFile);
})();
`,
  );
  expect(await project.compile('required.cts')).toBe('');
  expect(await project.run('required.cjs', {})).toEqual(['true true', 'true true']);
});

test('the README’s examples compile and run: calls', async () => {
  const lines = await runExample('Calls');
  expect(lines).toEqual(expect.arrayContaining(['[ 0, 2 ]', 'conflict.node_blocked']));
  expect(lines.filter((line) => /^user:\S+ \d+ \d+$/.test(line)).length).toBeGreaterThan(0);
});

test('the README’s examples compile and run: a replica', async () => {
  expect(await runExample('A replica')).toEqual(['1']);
});

test('[HOOK14] the README’s examples compile and run: Webhooks', async () => {
  await writeFile(join(project.folder, 'receiver.ts'), exampleUnder('Webhooks').code);
  expect(await project.compile('receiver.ts')).toBe('');
  await writeFile(
    join(project.folder, 'message.js'),
    `import { Webhook } from 'standardwebhooks';
import { POST } from './receiver.js';
const body = '{"type":"graph.changed","data":{"events":[{"type":"node.added"}]}}';
const time = new Date();
const signature = new Webhook(process.env.HOOK_SECRET).sign('msg_1', time, body);
for (const each of [signature, 'v1,AAAA']) {
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(Math.floor(time / 1000)), 'webhook-signature': each };
  console.log((await POST(new Request('http://127.0.0.1/', { method: 'POST', headers, body }))).status);
}
`,
  );
  const HOOK_SECRET = `whsec_${Buffer.from('a secret of some 24 bytes').toString('base64')}`;
  expect(await project.run('message.js', { HOOK_SECRET })).toEqual(["[ 'node.added' ]", '204', '400']);
});

test('the README’s examples compile and run: REST', async () => {
  expect(await runExample('REST')).toEqual(['[]']);
});

/** The entry module of a page with a component. */
const pageOf = (component: string) => `
import { openReplica } from '@taskgraph/client';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { ${component} } from './${component}.tsx';
const { token, rootId } = document.querySelector('main').dataset;
const replica = await openReplica({ url: location.origin, token });
createRoot(document.querySelector('main')).render(createElement(${component}, { replica, rootId }));
`;

type Chunks = readonly { readonly fileName: string; readonly code: string }[];

/** The component of an example with its page, compiled and bundled for a browser. The entry comes first. */
async function bundleOf(component: string, heading: string): Promise<Chunks> {
  await writeFile(join(project.folder, `${component}.tsx`), exampleUnder(heading).code);
  expect(await project.compile(`${component}.tsx`)).toBe('');
  const input = join(project.folder, `${component}-page.js`);
  await writeFile(input, pageOf(component));
  const bundle = await rolldown({
    input,
    cwd: project.folder,
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return output.filter((file) => file.type === 'chunk');
}

/** A page that shows a node by the component, live for the owner of the token. */
async function show(chunks: Chunks, token: string, rootId: string) {
  // The service accepts calls only from pages of its origin, so the component runs in one of them.
  const { page, problems } = await openPage(browser, url);
  for (const { fileName, code } of chunks)
    await page.route(`**/${fileName}`, (route) => route.fulfill({ contentType: 'text/javascript', body: code }));
  await page.goto('/docs');
  await page.locator('.opblock').first().waitFor();
  await page.evaluate(`
    const [main, script] = [document.createElement('main'), document.createElement('script')];
    Object.assign(main.dataset, ${JSON.stringify({ token, rootId })});
    Object.assign(script, { type: 'module', src: '/${chunks[0]?.fileName}' });
    document.body.replaceChildren(main, script);
  `);
  /** Problems of the page fail the poll at once, with the titles. */
  const lists = (titles: readonly string[]) => {
    const shown = async () => ({ titles: await page.locator('li').allInnerTexts(), problems });
    return expect.poll(shown, { timeout: 60_000 }).toEqual({ titles, problems: [] });
  };
  return { page, lists, problems };
}

/** A user with a task that depends on another. */
async function chainOf(name: string) {
  const token = await stack.token(emailOf(name));
  const client = await connect({ url, token });
  const { made } = await client.batch((batch) => {
    const root = batch.node.add({ title: 'Go live', volume: 1 });
    return { root, child: batch.node.add({ title: 'Set up the domain', volume: 1, target: root.id }) };
  });
  return { token, client, root: made.root.id, child: made.child.id };
}

test('bundled for a browser, its hooks show a branch live and send commands', async () => {
  const chunks = await bundleOf('Plan', 'React');
  const { token, client, root, child } = await chainOf('page');
  const { page, lists, problems } = await show(chunks, token, root);
  await lists(['Set up the domain']);
  expect(await page.locator('h1').innerText()).toBe('Go live');
  await client.node.update({ id: child, title: 'Move the domain' });
  await lists(['Move the domain']);
  await page.locator('button').click();
  await lists(['Move the domain', 'One more']);
  await client.node.trash({ id: root });
  await page.locator('main', { hasText: 'There is nothing here.' }).waitFor();
  client.close();
  expect(problems).toEqual([]);
  await page.close();
});

test('[PLAN7] bundled for a browser, a component shows a plan live', async () => {
  const chunks = await bundleOf('CriticalPath', 'A plan in React');
  const { token, client, root, child } = await chainOf('planner');
  const { page, lists, problems } = await show(chunks, token, root);
  const lasts = (units: number) => page.locator('h1', { hasText: `${units} units` }).waitFor();
  await lists(['Set up the domain', 'Go live']);
  await lasts(2);
  await client.node.update({ id: child, volume: 5 });
  await lasts(6);
  await client.node.add({ title: 'Write the texts', volume: 7, target: root });
  await lists(['Write the texts', 'Go live']);
  await lasts(8);
  await client.node.trash({ id: root });
  await page.locator('main', { hasText: 'There is nothing to plan.' }).waitFor();
  client.close();
  expect(problems).toEqual([]);
  await page.close();
});
