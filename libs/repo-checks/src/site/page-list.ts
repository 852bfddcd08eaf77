// The documents that become pages of the site, their addresses, and the menu, which docs/README.md
// gives: a page that it does not list is in no menu.
import { posix } from 'node:path';

/** The files of the repository, by path. */
export type Documents = ReadonlyMap<string, string>;

export interface MenuEntry {
  /** The path of the document in the repository. */
  readonly source: string;
  readonly title: string;
  /** '' if docs/README.md says nothing about it. */
  readonly description: string;
}

export interface MenuGroup {
  readonly title: string;
  readonly entries: readonly MenuEntry[];
}

export const INDEX = 'docs/README.md';

/** Documents outside `docs`, and their pages. On some systems SECURITY.md and security.md are one name. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'README.md': 'project/readme.md',
  'ARCHITECTURE.md': 'project/architecture.md',
  'CHANGELOG.md': 'project/changelog.md',
  'CODE_OF_CONDUCT.md': 'project/conduct.md',
  'CONTRIBUTING.md': 'project/contributing.md',
  'SECURITY.md': 'project/reports.md',
  'helm/taskgraph/README.md': 'packages/chart.md',
  'libs/cli/README.md': 'packages/cli.md',
  'libs/client/CHANGELOG.md': 'packages/client-changelog.md',
  'libs/client/README.md': 'packages/client.md',
  'libs/client-python/CHANGELOG.md': 'packages/python-changelog.md',
  'libs/client-python/README.md': 'packages/python.md',
};

/** The page of each document, relative to the site: `interface.md` for `docs/interface.md`. */
export function pagesOf(paths: Iterable<string>): Map<string, string> {
  const pages = new Map<string, string>();
  for (const path of paths) {
    const own = /^docs\/((?:design\/)?[\w-]+\.md)$/.exec(path)?.[1];
    const page = path === INDEX ? 'index.md' : (ELSEWHERE[path] ?? own);
    if (page !== undefined) pages.set(path, page);
  }
  return pages;
}

/** The groups of docs/README.md, and one with the documents of `docs/design`. */
export function menuOf(documents: Documents): MenuGroup[] {
  const pages = pagesOf(documents.keys());
  const text = documents.get(INDEX) ?? '';
  const groups = text
    .split(/^\*\*(?=[A-Z])/m)
    .slice(1)
    .map((section) => {
      const [title = '', ...rest] = section.split('**\n');
      return { title, entries: entriesIn(rest.join('**\n'), documents, pages) };
    });
  const listed = new Set(groups.flatMap(({ entries }) => entries.map(({ source }) => source)));
  const designs = [...documents.keys()].filter((path) => path.startsWith('docs/design/') && pages.has(path));
  const entries = designs
    .filter((source) => !listed.has(source))
    .sort()
    .map((source) => ({ source, title: titleOf(documents.get(source) ?? ''), description: '' }));
  return [...groups, { title: 'Design', entries }];
}

function entriesIn(section: string, documents: Documents, pages: ReadonlyMap<string, string>): MenuEntry[] {
  const plain = section.replaceAll(/\s+/g, ' ');
  const links = plain.matchAll(/\[([^\]]+)\]\(([^)\s#]+)\)(?:: ([^[]*))?/g);
  return [...links].flatMap(([, name = '', target = '', words = '']) => {
    const source = posix.join('docs', target);
    if (!pages.has(source)) return [];
    const description = words.replace(/(,? and| -) *$/, '').trim();
    // A name such as "the chart" says more than the heading of a README.
    const title = name.includes(' ')
      ? name.charAt(0).toUpperCase() + name.slice(1)
      : titleOf(documents.get(source) ?? '');
    return [{ source, title, description }];
  });
}

/** The first heading without its marks. */
export function titleOf(text: string): string {
  return (/^# (.+)$/m.exec(text)?.[1] ?? '').replaceAll('`', '').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
}
