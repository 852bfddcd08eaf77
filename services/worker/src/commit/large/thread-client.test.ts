// The thread for large commands, with a script that answers, ends or takes memory as its commands
// say.

import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import { expect, test } from 'vitest';
import { waitingJob } from '../../test/support/waiting-job.ts';
import type { Job } from '../job.ts';
import { type LargeThread, openLargeThread } from './thread-client.ts';

const SCRIPT = `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', (sent) => {
    if (sent === null) return parentPort.close();
    if ('isLeaseHeld' in sent) {
      parentPort.postMessage({ kind: 'answered', encoded: new TextEncoder().encode(String(sent.isLeaseHeld)) });
      return parentPort.postMessage({ kind: 'done' });
    }
    const { event } = sent.message;
    if (event === 'ask') return parentPort.postMessage({ kind: 'asked' });
    if (event === 'refuse') {
      parentPort.postMessage({ kind: 'refused', reply: { ok: false, error: 'forbidden', message: '' } });
      return parentPort.postMessage({ kind: 'done' });
    }
    if (event === 'end') process.exit(1);
    for (const kept = []; event === 'fill'; ) kept.push(new Array(100_000).fill(kept.length));
    parentPort.postMessage({ kind: 'published', slices: [new Uint8Array(3)], count: 2, control: {}, expirations: [] });
    parentPort.postMessage({ kind: 'answered', encoded: new TextEncoder().encode(event) });
    parentPort.postMessage({ kind: 'done' });
  });`;

function jobOf(event: string, isLeaseHeld?: () => boolean): Job & { readonly replies: Reply[] } {
  return { ...waitingJob(event, 'ann', 0), isLeaseHeld };
}

const nothing = () => undefined;
const options = {
  settings: {
    neo4j: { url: '', user: '', password: '' },
    entities: 1,
    historyForm: 'merged' as const,
    name: 'test',
    logLevel: 'silent',
  },
  script: new URL(`data:text/javascript,${encodeURIComponent(SCRIPT)}`),
  memoryMb: 64,
  log: createLog({ name: 'test', level: 'silent' }),
  publish: nothing,
  onUnpublished: nothing,
  onFailure: nothing,
  onLate: nothing,
  onAhead: nothing,
  aheadMs: () => 0,
};

/** The answer to a command; undefined where there is none. */
async function answerOf(thread: LargeThread, event: string, isLeaseHeld?: () => boolean): Promise<unknown> {
  const job = jobOf(event, isLeaseHeld);
  await thread.commit(job);
  const [reply] = job.replies;
  return reply && 'encoded' in reply ? Buffer.from(reply.encoded).toString() : reply;
}

const refused = (outcome: string) => expect.objectContaining({ ok: false, error: 'unavailable', details: { outcome } });

test('a thread that cannot be started refuses its command, and the next command starts it again', async () => {
  const changing = { ...options };
  const thread = openLargeThread(changing);
  expect(await answerOf(thread, 'end')).toEqual(refused('unknown'));
  // Settings that can't be copied to a thread end the start of one, as does a machine that has none
  // to give.
  changing.settings = { ...options.settings, neo4j: { ...options.settings.neo4j, url: nothing as never } };
  expect(await answerOf(thread, 'first')).toEqual(refused('not_done'));
  changing.settings = options.settings;
  expect(await answerOf(thread, 'second')).toBe('second');
  await thread.stop();
});

test('[GEN8] a thread asks before its commit whether the worker still has the lease for its command', async () => {
  const thread = openLargeThread(options);
  const answers = [await answerOf(thread, 'ask', () => false), await answerOf(thread, 'ask', () => true)];
  expect([...answers, await answerOf(thread, 'ask')]).toEqual(['false', 'true', 'true']);
  await thread.stop();
});

test('[GEN8] a refusal is returned as a refusal, and the worker decides', async () => {
  const thread = openLargeThread(options);
  expect(await answerOf(thread, 'refuse')).toMatchObject({ ok: false, error: 'forbidden' });
  await thread.stop();
});

test('a thread that ends fails only its own command, also after exceeding its memory limit', async () => {
  let slices = 0;
  const publish = ({ count }: { readonly count: number }) => {
    slices += count;
  };
  const thread = openLargeThread({ ...options, publish });
  const answers: unknown[] = [];
  for (const event of ['first', 'end', 'second', 'fill', 'third']) answers.push(await answerOf(thread, event));
  await thread.stop();
  const unknown = refused('unknown');
  expect(answers).toEqual(['first', unknown, 'second', unknown, 'third']);
  expect(slices).toBe(6);
}, 30_000);
