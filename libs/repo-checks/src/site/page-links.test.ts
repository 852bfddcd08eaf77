import { expect, test } from 'vitest';
import { llmsText } from './llms-text.ts';
import { rewriteLinks } from './page-links.ts';
import { menuOf, pagesOf, titleOf } from './page-list.ts';
import { programsUnder } from './page-programs.ts';
import { coloursOf, withoutTabs } from './staging.ts';

const DOCUMENTS = new Map([
  ['README.md', '# Taskgraph\n\nIt stores\ntasks.\n\nMore.\n'],
  ['ARCHITECTURE.md', '# Architecture\n'],
  [
    'docs/README.md',
    '# Documents\n\nThe [glossary](a.md).\n\n**To use it**\n\n- [a.md](a.md): first,\n  second\n- [spec](api/x.json): for programs\n- [the B client](b.md)\n\n**To change it**\n\n- [b.md](b.md): this, and [ARCHITECTURE.md](../ARCHITECTURE.md): that; `x`\n',
  ],
  ['docs/a.md', '# The `a`\n'],
  ['docs/b.md', '# B\n'],
  ['docs/design/c.md', '# C\n'],
]);
const pages = pagesOf(DOCUMENTS.keys());
const targets = {
  pages,
  exists: (path: string) => path === 'docs/api/x.json' || path === 'LICENSE' || path.endsWith('.png'),
};

test('links lead to pages, and to copies of other files', () => {
  const text =
    '[b](b.md#x), [`c`](design/c.md), [r](../README.md) [x](api/x.json) [l](../LICENSE) [w](https://a.example/b.md) [h](#h)';
  const { text: written, files } = rewriteLinks('docs/a.md', text, targets);
  expect(written).toBe(
    '[b](b.md#x), [`c`](design/c.md), [r](project/readme.md) [x](api/x.json) [l](files/LICENSE.txt) [w](https://a.example/b.md) [h](#h)',
  );
  expect([...files]).toEqual([
    ['docs/api/x.json', 'api/x.json'],
    ['LICENSE', 'files/LICENSE.txt'],
  ]);
  expect(rewriteLinks('docs/design/c.md', '[a](../a.md)', targets).text).toBe('[a](../a.md)');
  expect(rewriteLinks('ARCHITECTURE.md', '[a](docs/a.md)', targets).text).toBe('[a](../a.md)');
});

test('pictures are below the root of the site if it is given', () => {
  const text = '![p](../pictures/p.png) [p](../pictures/p.png)';
  expect(rewriteLinks('docs/design/c.md', text, targets, '/').text).toBe(
    '![p](/pictures/p.png) [p](../pictures/p.png)',
  );
  expect(rewriteLinks('docs/design/c.md', text, targets).text).toBe(text);
});

test('code is not changed, and a link to nothing is an error', () => {
  const code = '`[a](nothing.md)`\n```md\n[a](nothing.md)\n```\n````\n```\n[a](nothing.md)\n````\n';
  expect(rewriteLinks('docs/a.md', code, targets).text).toBe(code);
  expect(() => rewriteLinks('docs/a.md', '[a](nothing.md)', targets)).toThrow('docs/a.md links to nothing.md');
});

test('the menu has the groups of docs/README.md, and the designs', () => {
  expect(menuOf(DOCUMENTS)).toEqual([
    {
      title: 'To use it',
      entries: [
        { source: 'docs/a.md', title: 'The a', description: 'first, second' },
        { source: 'docs/b.md', title: 'The B client', description: '' },
      ],
    },
    {
      title: 'To change it',
      entries: [
        { source: 'docs/b.md', title: 'B', description: 'this' },
        { source: 'ARCHITECTURE.md', title: 'Architecture', description: 'that; `x`' },
      ],
    },
    { title: 'Design', entries: [{ source: 'docs/design/c.md', title: 'C', description: '' }] },
  ]);
  expect(titleOf('text\n# [A](b.md) `c`\n')).toBe('A c');
});

test('llms.txt has the addresses of the Markdown', () => {
  const text = llmsText(DOCUMENTS, menuOf(DOCUMENTS), 'https://docs.example/');
  expect(text).toContain('# Taskgraph\n\n> It stores tasks.\n');
  expect(text).toContain('## To use it\n\n- [The a](https://docs.example/a.md): first, second\n');
  expect(text).toContain('- [C](https://docs.example/design/c.md)\n');
});

test('the colours are the custom properties of the tokens', () => {
  const style = '@layer tokens {\n  :root {\n    color-scheme: light;\n    --a: light-dark(#fff, #000);\n  }\n}\n';
  expect(coloursOf(style)).toBe(':root {\n    --a: light-dark(#fff, #000);\n}\n');
  expect(() => coloursOf('@layer base {}')).toThrow('no custom properties');
});

test('programs are found by heading and language', () => {
  const text = '# A\n\n## One\n\n```sh\na\n```\n\n```ts\nb\n```\n\n## Two\n\n```sh\nc\n```\n';
  expect(programsUnder(text, 'One', 'sh')).toEqual(['a\n']);
  expect(programsUnder(text, 'Two', 'sh')).toEqual(['c\n']);
  expect(() => programsUnder(text, 'Two', 'ts')).toThrow('there is no ts under "Two"');
});

test('texts for programs have no comments of tabs', () => {
  expect(withoutTabs('a\n\n<!-- tabs -->\n\n## B\n\nc\n\n<!-- end of tabs -->\n\n## D\n')).toBe(
    'a\n\n## B\n\nc\n\n## D\n',
  );
});
