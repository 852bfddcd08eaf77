// The commands' pure decisions against a brute-force model, on random graphs.
import { isVisible } from '@taskgraph/domain/state/change';
import { viewDiff } from '@taskgraph/domain/views/view';
import { runs } from '@taskgraph/testkit/runs';
import {
  type CascadeAnswer,
  type CascadeSubject,
  cascadeSteps,
  compareCascades,
} from '@taskgraph/testkit/world/cascade-model';
import { createMemoryWorld } from '@taskgraph/testkit/world/memory-world';
import { isRefusal } from '@taskgraph/wire/errors';
import { composeId, slotOf } from '@taskgraph/wire/ids';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { definitionOf } from '../catalog.ts';
import { parsePayload } from '../payload.ts';

const actor = { id: composeId(7, 0, 0, new Uint8Array(6)), username: 'ada', email: 'ada@example.com' };

function pureSubject(): CascadeSubject {
  const memory = createMemoryWorld();
  let count = 0;
  const newId = (slot: number) => composeId(slot, 1_700_000_000_000 + ++count, 0, new Uint8Array(6));
  return {
    async call(event, raw): Promise<CascadeAnswer> {
      const definition = definitionOf(event);
      if (definition?.kind !== 'command') throw new Error(`${event} is no command`);
      const payload = parsePayload(definition, raw);
      if (isRefusal(payload)) return { error: payload.code };
      const now = new Date(1_700_000_000_000 + ++count * 1_000).toISOString();
      const batchId = newId(slotOf(actor.id));
      const context = { actor, now, batchId, newId, newToken: () => 'token', userOf: () => actor };
      const decision = definition.decide(memory.world, payload, context);
      if (isRefusal(decision)) return { error: decision.code };
      const { changes, skipped } = 'changes' in decision ? decision : { changes: decision, skipped: [] };
      memory.apply(changes);
      const projection = {
        ownerNames: () => actor,
        access: () => undefined,
        rootsOf: () => [],
        showsToken: () => true,
      };
      return {
        error: null,
        diff: viewDiff(changes.filter(isVisible), { id: batchId, actor, now, skipped }, projection),
      };
    },
    refresh: async () => undefined,
    node: async (id) => memory.nodes.get(id) as never,
    link: async (id) => memory.links.get(id) as never,
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
