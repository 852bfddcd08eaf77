// The thread for large commands, with a script that answers, ends or takes memory as its commands say.
import type { Reply } from '@taskgraph/bus/serve';
import { createLog } from '@taskgraph/runtime/log';
import { composeId } from '@taskgraph/wire/ids';
import { expect, test } from 'vitest';
import { openAloneThread } from './alone-host.ts';
import type { AnyCommand, Job } from './job.ts';

const SCRIPT = `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', (sent) => {
    if (sent === null) return parentPort.close();
    const { event } = sent.message;
    if (event === 'end') process.exit(1);
    for (const kept = []; event === 'fill'; ) kept.push(new Array(100_000).fill(kept.length));
    parentPort.postMessage({ kind: 'published', slices: [new Uint8Array(3)], count: 2, control: {}, dues: [] });
    parentPort.postMessage({ kind: 'answered', encoded: new TextEncoder().encode(event) });
    parentPort.postMessage({ kind: 'done' });
  });`;

function jobOf(event: string): Job & { readonly replies: Reply[] } {
  const id = composeId(0, 0, 0, new Uint8Array(6));
  const actor = { id, username: 'ann', email: 'ann@example.org' };
  const replies: Reply[] = [];
  return {
    message: { id, event, payload: {}, actor, key: null, deadline: 0, traceId: '' },
    ...{ definition: {} as AnyCommand, payload: {}, slot: 0, key: event, payloadHash: '', bytes: 0 },
    replies,
    answer: (reply) => void replies.push(reply),
  };
}

test('a thread that ends takes its own command along and no other, also one that takes more memory than it may', async () => {
  let slices = 0;
  const nothing = () => undefined;
  const thread = openAloneThread({
    settings: { neo4j: { url: '', user: '', password: '' }, entities: 1, name: 'test', logLevel: 'silent' },
    script: new URL(`data:text/javascript,${encodeURIComponent(SCRIPT)}`),
    memoryMb: 64,
    log: createLog({ name: 'test', level: 'silent' }),
    publish: ({ count }) => {
      slices += count;
    },
    ...{ onUnpublished: nothing, onFailure: nothing, onLate: nothing, onAhead: nothing, aheadMs: () => 0 },
  });
  const answers: unknown[] = [];
  for (const event of ['first', 'end', 'second', 'fill', 'third']) {
    const job = jobOf(event);
    await thread.commit(job);
    const [reply] = job.replies;
    answers.push(reply && 'encoded' in reply ? Buffer.from(reply.encoded).toString() : reply);
  }
  await thread.stop();
  const unknown = expect.objectContaining({ ok: false, error: 'unavailable', details: { outcome: 'unknown' } });
  expect(answers).toEqual(['first', unknown, 'second', unknown, 'third']);
  expect(slices).toBe(6);
}, 30_000);
