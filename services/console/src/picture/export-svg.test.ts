import { expect, test } from 'vitest';
import { newLayout } from '../layout/layout.ts';
import { type PictureSource, svgPictureOf, svgText } from './export-svg.ts';
import { sceneOf } from './scene.ts';

const THEME = {
  ground: '#ffffff',
  text: '#000000',
  dim: '#333333',
  border: '#555555',
  hairline: '#999999',
  chosen: '#eeeeee',
  statuses: ['#111111', '#222222', '#333333', '#444444'],
};

function pictureOf(titles: readonly string[], shown: PictureSource['shown'] = { has: () => true }) {
  const nodes = new Map(
    titles.map((title, index) => [String(index), { id: String(index), version: 1, title, status: index % 4 }]),
  );
  const links = new Map(
    titles
      .slice(1)
      .map((_, index) => [
        `l${index}`,
        { id: `l${index}`, version: 1, source: String(index), target: String(index + 1), type: index % 2 },
      ]),
  );
  const scene = sceneOf({ nodes, links });
  const source = {
    scene: { ...scene, layout: newLayout(scene.graph) },
    theme: THEME,
    critical: new Set<string>(),
    shown,
  };
  return svgPictureOf(source, 'The <plan>');
}

test('[CON29] hostile titles are text: no character of them is markup', () => {
  const titles = ['</text><script>', `"'&amp;<!--`, ']]>\u0000\u0008\uD800', '<image href="x"/>'];
  const picture = pictureOf(titles);
  const text = svgText(picture?.root ?? { name: 'svg', attributes: {}, children: [] });
  expect(text).toContain('&lt;/text&gt;&lt;script&gt;</text>');
  expect(text).toContain('&quot;&#39;&amp;amp;&lt;!--</text>');
  expect(text).toContain(']]&gt;\uFFFD\uFFFD\uFFFD</text>');
  expect(text).toContain('<title>The &lt;plan&gt;</title>');
  const names = [...text.matchAll(/<([a-z?]+)/g)].map(([, name]) => name);
  expect([...new Set(names)].sort()).toEqual(['?xml', 'g', 'path', 'rect', 'svg', 'text', 'title']);
  // In tags, without the texts between them.
  expect(text.replace(/>[^<]*</g, '><')).not.toMatch(/href|url\(|style|@import/);
});

test('[CON29] only the shown tasks and the links between them are in it', () => {
  const picture = pictureOf(['A', 'B', 'C', 'D'], { has: (id) => id !== '2' });
  const text = svgText(picture?.root ?? { name: 'svg', attributes: {}, children: [] });
  expect(picture?.tasks).toBe(3);
  expect(text).not.toContain('>C<');
  expect(text.match(/<path/g)).toHaveLength(1);
  expect(pictureOf(['A'], { has: () => false })).toBeNull();
});

test('[CON29 CON38] a folded fan has the number of its leaves that meet the filter, and an open one all leaves', () => {
  const nodes = new Map(
    ['goal', ...Array.from({ length: 9 }, (_, index) => `leaf ${index}`)].map((id) => [
      id,
      { id, version: 1, title: id, status: 0, volume: 0, priority: 0, dueDate: null },
    ]),
  );
  const links = new Map(
    [...nodes.keys()]
      .slice(1)
      .map((id) => [id, { id: `of ${id}`, version: 1, source: id, target: 'goal', type: 0 }] as const),
  );
  const drawn = (shown: PictureSource['shown'], isOpen = false) => {
    const scene = sceneOf(
      { nodes, links },
      { isOpen: () => isOpen, staysVisible: () => false, isRevealed: () => false },
    );
    const placed = { ...scene, layout: newLayout(scene.graph) };
    const picture = svgPictureOf({ scene: placed, theme: THEME, critical: new Set(), shown }, 'Plan');
    const text = svgText(picture?.root ?? { name: 'svg', attributes: {}, children: [] });
    const texts = [...text.matchAll(/<text [^>]*550[^>]*>([^<]*)</g)].map(([, title]) => title);
    return { text, texts, tasks: picture?.tasks, lines: text.match(/<path/g)?.length };
  };
  const all = { has: () => true };
  expect(drawn(all)).toMatchObject({ texts: ['goal', 'leaf 0', 'leaf 1', 'leaf 2', '6 more'], tasks: 4, lines: 4 });
  const few = { has: (id: string) => !/[5-8]/.test(id) };
  expect(drawn(few)).toMatchObject({ texts: ['goal', 'leaf 0', 'leaf 1', 'leaf 2', '2 more'], tasks: 4, lines: 4 });
  const none = { has: (id: string) => !/[3-8]/.test(id) };
  expect(drawn(none)).toMatchObject({ texts: ['goal', 'leaf 0', 'leaf 1', 'leaf 2'], tasks: 4, lines: 3 });
  const { texts, tasks, lines } = drawn(all, true);
  expect([texts.length, tasks, lines]).toEqual([10, 10, 9]);
  // The card of a fan does not name a task that the filter leaves out.
  expect(drawn(all).text).toContain('<title>6 more tasks that “');
  const leaves = drawn({ has: (id) => id !== 'goal' });
  expect([leaves.text.includes('goal'), leaves.text.includes('<title>6 more</title>')]).toEqual([false, true]);
});
