// The order of commands, if only a part of each group commits.
import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { waitingJob } from '../test/support/waiting-job.ts';
import { jobsByKey } from './jobs-by-key.ts';
import { createMailboxes } from './mailboxes.ts';

const everySlot = () => true;

test('[GEN12] groups never change the order of the commands of a slot and user', () => {
  const commands = fc.array(fc.record({ slot: fc.nat(5), user: fc.constantFrom('a', 'b', 'c') }), { maxLength: 60 });
  const returned = fc.array(fc.nat(10), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(commands, returned, (all, counts) => {
      const mailboxes = createMailboxes({ groupSize: 16, groupBytes: 1_000_000, nowMs: () => 0 });
      for (const [at, { slot, user }] of all.entries()) mailboxes.put(waitingJob(String(at), user, slot));
      const order = [];
      for (let turn = 0; mailboxes.count() > 0; turn++) {
        const group = mailboxes.gather(everySlot);
        // At least one command leaves, so that the loop ends.
        const leaving = Math.max(1, group.length - (counts[turn % counts.length] as number));
        mailboxes.putBack(group.slice(leaving));
        order.push(...group.slice(0, leaving));
      }
      expect(order).toHaveLength(all.length);
      for (const [lane, jobs] of jobsByKey(order, ({ slot, message }) => `${slot} ${message.actor.id}`)) {
        const numbers = jobs.map(({ key }) => Number(key));
        expect(numbers, lane).toEqual(numbers.toSorted((one, other) => one - other));
      }
    }),
    { numRuns: runs(200) },
  );
});
