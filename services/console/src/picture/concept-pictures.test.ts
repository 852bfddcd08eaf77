// The pictures of docs/concepts.md, drawn by the console. `--update` writes them anew.
import { type PlanNode, planOf } from '@taskgraph/domain/plan/plan';
import { expect, test } from 'vitest';
import { BLOCKED, COMPLETED } from '../graph/task.ts';
import { newLayout } from '../layout/layout.ts';
import { svgPictureOf, svgText } from './export-svg.ts';
import { sceneOf } from './scene.ts';

/** The light colours of console.css. */
const THEME = {
  ground: '#ffffff',
  text: '#1a1f2b',
  dim: '#586174',
  border: '#848d9d',
  statuses: ['#2456c7', '#a85700', '#7a8394', '#1f7a6c'],
};

interface PicturedPlan {
  /** Title, status and effort of each task. */
  readonly tasks: readonly (readonly [title: string, status: 0 | 1 | 2 | 3, effort: number])[];
  /** The titles of source and target; a dashed link relates only. */
  readonly links: readonly (readonly [source: string, target: string, type?: 0 | 1])[];
  readonly showsPlan?: boolean;
}

const GOAL: PicturedPlan = {
  tasks: [
    ['Go live', 2, 1],
    ['Set up the domain', 2, 1],
    ['Choose a name', 0, 2],
    ['Build the pages', 2, 5],
    ['Write the texts', 1, 4],
    ['Draw a logo', 2, 2],
  ],
  links: [
    ['Set up the domain', 'Go live'],
    ['Choose a name', 'Set up the domain'],
    ['Build the pages', 'Go live'],
    ['Write the texts', 'Build the pages'],
    ['Draw a logo', 'Build the pages'],
    ['Choose a name', 'Draw a logo'],
    ['Set up the domain', 'Build the pages', 1],
  ],
};

const PAIR = [['Set up the domain', 'Go live']] as const;

const PICTURES: Readonly<Record<string, PicturedPlan>> = {
  waits: {
    tasks: [
      ['Set up the domain', 0, 1],
      ['Go live', 2, 1],
    ],
    links: PAIR,
  },
  completed: {
    tasks: [
      ['Set up the domain', 3, 1],
      ['Go live', 0, 1],
    ],
    links: PAIR,
  },
  branch: GOAL,
  plan: { ...GOAL, showsPlan: true },
};

test.each(Object.entries(PICTURES))('[CON29] the picture “%s” of docs/concepts.md', async (name, drawn) => {
  const nodes = drawn.tasks.map(([title, status, volume]) => {
    const unset = { version: 1, independent: false, priority: 0, dueDate: null };
    return { id: title, title, status, volume, ...unset };
  });
  const links = drawn.links.map(([source, target, type = 0], index) => ({
    id: `l${index}`,
    version: 1,
    source,
    target,
    type,
  }));
  const primary = links.filter(({ type }) => type === 0);
  expectTrueStatuses(nodes, primary);
  const plan = planOf({ nodes: nodes as PlanNode[], links: primary, calendar: null });
  const byId = <T extends { id: string }>(entities: readonly T[]) => new Map(entities.map((each) => [each.id, each]));
  const scene = sceneOf({ nodes: byId(nodes), links: byId(links) });
  const picture = svgPictureOf(
    {
      scene: { ...scene, layout: newLayout(scene.graph) },
      theme: THEME,
      critical: new Set(drawn.showsPlan === true ? plan?.critical : []),
      shown: { has: () => true },
    },
    name,
  );
  expect(picture?.tasks).toBe(drawn.tasks.length);
  await expect(svgText(picture?.root ?? { name: 'svg', attributes: {}, children: [] })).toMatchFileSnapshot(
    `../../../../docs/pictures/concept-${name}.svg`,
  );
});

/** A task is Blocked exactly while a task that it waits for is open (BLK1). */
function expectTrueStatuses(
  nodes: readonly { id: string; status: number }[],
  links: readonly { source: string; target: string }[],
): void {
  const isOpen = (id: string) => nodes.find((node) => node.id === id)?.status !== COMPLETED;
  for (const { id, status } of nodes) {
    expect(status === BLOCKED, id).toBe(links.some(({ source, target }) => target === id && isOpen(source)));
  }
}
