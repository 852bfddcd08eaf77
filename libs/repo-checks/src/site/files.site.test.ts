// The files of the built site: links, anchors, policies, and the texts for programs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import { expect, test } from 'vitest';

const SITE = join(REPOSITORY, 'dist', 'site');
const paths = readdirSync(SITE, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
const read = (path: string) => readFileSync(join(SITE, path), 'utf8');
const pages = paths.filter((path) => path.endsWith('.html') && path !== '404.html');

/** The distinct values of the pattern's first group. */
const find = (text: string, pattern: RegExp) => [
  ...new Set([...text.matchAll(pattern)].map(([, found = '']) => found)),
];
const idsIn = new Map(pages.map((path) => [path, new Set(find(read(path), /\sid="([^"]+)"/g))]));

test('every page of docs is there, as a page and as Markdown', () => {
  const documents = readdirSync(join(REPOSITORY, 'docs')).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  );
  expect(documents.length).toBeGreaterThan(25);
  for (const name of [...documents, 'index.md']) {
    expect(paths).toContain(name);
    expect(paths).toContain(name.replace(/\.md$/, '.html'));
    expect(read(name)).toMatch(/^# \S/);
  }
});

test('the Markdown of the page start has the sections of its tabs, one after the other, and no marks', () => {
  const text = read('start.md');
  const headings = ['TypeScript', 'Python', 'Go', 'curl', 'Command line', 'MCP'];
  expect(find(text, /^## (.+)$/gm)).toEqual(['The service', ...headings, 'Next']);
  expect(text).not.toContain('<!--');
  expect(text).not.toContain('PageTabs');
});

test.each(pages)('the links of %s have targets', (page) => {
  const links = find(read(page), /<a [^>]*\bhref="([^"]+)"/g).filter((link) => !/^(https?|mailto):/.test(link));
  const dead = links.filter((link) => {
    const [to = '', anchor = ''] = decodeURI(link).split('#');
    const path = to === '' ? page : to.startsWith('/') ? to.slice(1) : posix.join(posix.dirname(page), to);
    const file = path === '' || path.endsWith('/') ? `${path}index.html` : path;
    return !existsSync(join(SITE, file)) || (anchor !== '' && idsIn.get(file)?.has(anchor) !== true);
  });
  expect(dead).toEqual([]);
});

test.each(paths.filter((path) => path.endsWith('.md')))('the links of %s have targets', (page) => {
  const links = find(read(page), /\]\(([^)\s]+)\)/g).filter((link) => !/^([a-z]+:|#)/.test(link));
  const dead = links.filter((link) => !existsSync(join(SITE, posix.dirname(page), link.split('#')[0] ?? '')));
  expect(dead).toEqual([]);
});

test('llms.txt names each page of the menu, and its Markdown', () => {
  const text = read('llms.txt');
  expect(text).toMatch(/^# Taskgraph\n\n> Taskgraph is a service /);
  const links = find(text, /\]\(([^)]+)\)/g);
  expect(links).toEqual(expect.arrayContaining(['start.md', 'agents.md', 'interface.md', 'design/graph-rules.md']));
  expect(links.filter((link) => !paths.includes(link))).toEqual([]);
  expect(text).toContain('- [Agents](agents.md): ');
});

test.each([...pages, '404.html'])('%s loads nothing from elsewhere, and its policy allows no other script', (page) => {
  const html = read(page);
  const [policy = ''] = find(html, /<meta http-equiv="Content-Security-Policy" content="([^"]+)"/g);
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'( 'sha256-[\w+/=]{44}')*; style-src 'self';/);
  expect(find(html, /<(?:script|link|img)\b[^>]*\b(?:src|href)="((?:https?:)?\/\/[^"]+)"/g)).toEqual([]);
});

test('no file of the site is a font, and no style names another host', () => {
  expect(paths.filter((path) => /\.(woff2?|ttf|otf)$/.test(path))).toEqual([]);
  const styles = paths.filter((path) => path.endsWith('.css')).map(read);
  expect(styles.length).toBeGreaterThan(0);
  expect(styles.flatMap((style) => find(style, /url\(["']?(https?:[^)]+)\)/g))).toEqual([]);
});
