import { expect, test } from 'vitest';
import { runBatch } from './batch.ts';

const diff = { nodes: [], links: [] } as never;
const answerWith = (results: { id?: string; link?: string }[]) => ({ diff, feeds: {}, results, trace_id: '' });

test('[BAT2 BAT6] operations are sent in order, use each other’s ids, and have real ids after the answer', async () => {
  let sent: unknown;
  const { made, results } = await runBatch(
    (batch) => {
      const plan = batch.node.add({ title: 'Go live' });
      const step = batch.node.add({ title: 'Set up the domain', target: plan.id });
      batch.link.update({ id: step.link, type: 1 });
      const link = batch.link.add({ source: step.id, target: 'other' });
      batch.access.grant({ id: plan.id, email: 'bob@example.com' });
      return { plan, step, link };
    },
    async (payload) => {
      sent = payload;
      return answerWith([{ id: 'p' }, { id: 's', link: 'l' }, {}, { id: 'k' }, {}]);
    },
  );
  expect(sent).toEqual({
    operations: [
      { event: 'node:add', payload: { title: 'Go live' }, as: 'n0' },
      { event: 'node:add', payload: { title: 'Set up the domain', target: '$n0' }, as: 'n1' },
      { event: 'link:update', payload: { id: '$n1.link', type: 1 } },
      { event: 'link:add', payload: { source: '$n1', target: 'other' }, as: 'n3' },
      { event: 'node:access', payload: { id: '$n0', email: 'bob@example.com' } },
    ],
  });
  expect([made.plan.id, made.step.id, made.step.link, made.link.id, results.length]).toEqual(['p', 's', 'l', 'k', 5]);
});

test('[BAT1] a batch whose builder throws is not sent', async () => {
  const build = () => {
    throw new Error('no');
  };
  const run = async () => expect.fail('it was sent');
  await expect(runBatch(build, run)).rejects.toThrow('no');
});
