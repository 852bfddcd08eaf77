// The commands' pure decisions against a brute-force model, on random graphs.
import { runs } from '@taskgraph/testkit/runs';
import {
  type CascadeAnswer,
  type CascadeSubject,
  cascadeSteps,
  compareCascades,
} from '@taskgraph/testkit/world/cascade-model';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createScenario } from './support/scenario.ts';

function pureSubject(): CascadeSubject {
  const scene = createScenario();
  return {
    async call(event, raw): Promise<CascadeAnswer> {
      const { error, diff } = scene.run(event, raw);
      return error === null ? { error, diff: diff as never } : { error };
    },
    refresh: async () => undefined,
    node: async (id) => scene.nodes.get(id),
    link: async (id) => scene.links.get(id),
  };
}

test('[BLK1 BLK2 BLK3 BLK4 BLK5 BLK6 BLK7 BLK9 BLK10 LNK4 LNK5 LNK6 LNK10 TRS1 TRS3 TRS4 TRS5] cascades and the trash agree with brute force', async () => {
  await fc.assert(
    fc.asyncProperty(cascadeSteps, (steps) => compareCascades(steps, pureSubject())),
    { numRuns: runs(400) },
  );
  expect.assertions(0);
});

test('[TRS3 LNK4] of two links that would close a cycle, the later stays in the trash when their node comes back', async () => {
  const node = { kind: 'add' as const, parent: null, status: 0 as const, independent: false };
  const link = (source: number, target: number) => ({ kind: 'link' as const, source, target, type: 0 as const });
  const steps = [node, node, node, link(0, 1), link(1, 2), { kind: 'trashNode' as const, node: 1 }, link(2, 0)];
  await compareCascades([...steps, { kind: 'restoreNode', node: 1 }, { kind: 'trash', link: 1 }], pureSubject());
  expect.assertions(0);
});
