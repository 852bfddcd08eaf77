// The file llms.txt: the pages for programs that read texts, each in Markdown.
import { type Documents, type MenuGroup, pagesOf } from './page-list.ts';

/** `site` is the address of the site, which ends with a slash; '' for relative addresses. */
export function llmsText(documents: Documents, menu: readonly MenuGroup[], site: string): string {
  const pages = pagesOf(documents.keys());
  const groups = menu.map(({ title, entries }) => {
    const lines = entries.map(({ source, title: name, description }) => {
      const words = description === '' ? '' : `: ${description}`;
      return `- [${name}](${site}${pages.get(source)})${words.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')}`;
    });
    return [`## ${title}`, '', ...lines, ''].join('\n');
  });
  const about = firstParagraph(documents.get('README.md') ?? '');
  const note = 'Each page `x.html` has its Markdown at `x.md`.';
  return [`# Taskgraph`, '', `> ${about}`, '', note, '', ...groups].join('\n');
}

function firstParagraph(text: string): string {
  const [, paragraph = ''] = /^# .+\n\n((?:.+\n)+)/.exec(text) ?? [];
  return paragraph.trim().replaceAll('\n', ' ');
}
