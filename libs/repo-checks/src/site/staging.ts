// The folder from which VitePress builds: the pages with rewritten links, the files that they link
// to, the menu, and the console's colours. All of it derives from the repository.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { llmsText } from './llms-text.ts';
import { type RewrittenPage, rewriteLinks } from './page-links.ts';
import { INDEX, menuOf, pagesOf } from './page-list.ts';

/** The parts of the stage, which `docs/site/.vitepress` names too. */
export const STAGE = { pages: 'pages', menu: 'menu.json', colours: 'colours.css', texts: 'texts' } as const;

const HOME = 'docs/site/home.md';
const COLOURS = 'services/console/src/style/console.css';
const ICON = 'services/console/src/style/icon.svg';

/** Empties the folder, and writes the stage of the repository into it. `site` is as for `llmsText`. */
export function writeStage(repository: string, folder: string, site: string): void {
  rmSync(folder, { recursive: true, force: true });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const read = (path: string) => readFileSync(join(repository, path), 'utf8');
  const documents = new Map(documentPaths(repository).map((path) => [path, read(path)]));
  const pages = pagesOf(documents.keys());
  const menu = menuOf(documents);
  const descriptions = new Map(
    menu.flatMap(({ entries }) => entries.map((entry) => [entry.source, entry.description])),
  );
  const targets = {
    pages,
    exists: (path: string) => statSync(join(repository, path), { throwIfNoEntry: false })?.isFile() === true,
  };
  const files = new Map<string, string>([[ICON, 'icon.svg']]);
  const note = (rewritten: RewrittenPage) => {
    for (const [path, address] of rewritten.files) files.set(path, address);
    return rewritten.text;
  };
  const home = note(rewriteLinks(HOME, read(HOME), { ...targets, pages: new Map([[HOME, 'index.md']]) }, '/'));
  for (const [source, page] of pages) {
    const text = documents.get(source) ?? '';
    const body = note(rewriteLinks(source, text, targets, '/'));
    const head = source === INDEX ? home : frontMatter(descriptions.get(source) ?? '', page);
    write(join(STAGE.pages, page), `${head}\n${source === INDEX ? body.replace(/^# .+\n/, '') : body}`);
    write(join(STAGE.texts, page), note(rewriteLinks(source, withoutTabs(text), targets)));
  }
  for (const [path, address] of files) {
    mkdirSync(dirname(join(folder, STAGE.pages, 'public', address)), { recursive: true });
    cpSync(join(repository, path), join(folder, STAGE.pages, 'public', address));
  }
  write(join(STAGE.texts, 'llms.txt'), llmsText(documents, menu, site));
  write(STAGE.menu, JSON.stringify(sidebarOf(menu, pages), null, 1));
  write(STAGE.colours, coloursOf(read(COLOURS)));
}

function documentPaths(repository: string): string[] {
  const inFolder = (folder: string) =>
    readdirSync(join(repository, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => (folder === '' ? name : `${folder}/${name}`));
  const packages = ['libs/cli', 'libs/client', 'libs/client-python', 'helm/taskgraph'];
  return ['', 'docs', 'docs/design', ...packages].flatMap(inFolder).sort();
}

/** The text without the comments that make tabs of sections: the texts are for programs. */
export function withoutTabs(text: string): string {
  return text.replaceAll(/^<!-- (end of )?tabs -->\n\n?/gm, '');
}

/** Lists of versions name each subject, and would be the first hits of every search. */
function frontMatter(description: string, page: string): string {
  const plain = description.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
  const lines = [
    ...(plain === '' ? [] : [`description: ${JSON.stringify(plain)}`]),
    ...(/changelog/.test(page) ? ['search: false'] : []),
  ];
  return lines.length === 0 ? '' : ['---', ...lines, '---', ''].join('\n');
}

/** The menu as VitePress takes it. */
function sidebarOf(menu: ReturnType<typeof menuOf>, pages: ReadonlyMap<string, string>): object[] {
  return menu.map(({ title, entries }, index) => ({
    text: title,
    collapsed: index > 1,
    items: entries.map((entry) => ({
      text: entry.title,
      link: `/${pages.get(entry.source)?.replace(/\.md$/, '')}`,
    })),
  }));
}

/** The console's custom properties. Throws if its style has none. */
export function coloursOf(style: string): string {
  const [, block = ''] = /@layer tokens \{\s*:root \{([^}]*)\}/.exec(style) ?? [];
  const properties = block.split('\n').filter((line) => line.trim().startsWith('--'));
  if (properties.length === 0) throw new Error(`${COLOURS} declares no custom properties`);
  return `:root {\n${properties.join('\n')}\n}\n`;
}
