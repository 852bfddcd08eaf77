// A process with one socket that sends updates at a fixed rate, regardless of the answers, and
// records when each was answered.

import { setTimeout as sleep } from 'node:timers/promises';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { isRefused } from './acks.ts';
import { markOf, nowUs } from './marks.ts';
import { openRawSocket } from './raw-socket.ts';

export interface UpdateSenderOptions {
  readonly url: string;
  readonly path: string;
  readonly auth: object;
  /** The default event of an update. */
  readonly event: string;
  /** The ids to update, in turn. */
  readonly ids: readonly string[];
  /** Padding of the message, so that a relay sends as many bytes as a service. */
  readonly filler?: string;
}

export interface UpdateRate {
  /** Updates a second. */
  readonly rate: number;
  /** Updates that are sent at once. */
  readonly burst: number;
  readonly ms: number;
  readonly event?: string;
}

export interface SentUpdates {
  readonly sent: number;
  /** The time of each answer in microseconds of the machine's clock, by the update's mark. */
  readonly answeredUs: ReadonlyMap<number, number>;
  readonly refused: number;
}

export interface UpdateSenderActs {
  sendUpdates(updateRate: UpdateRate): Promise<SentUpdates>;
}

export async function openUpdateSender(options: UpdateSenderOptions): Promise<UpdateSenderActs> {
  const { ids, filler } = options;
  const socket = await openRawSocket({ ...options, onEvent: () => undefined });
  let turn = 0;
  return {
    async sendUpdates({ rate, burst, ms, event = options.event }) {
      const answeredUs = new Map<number, number>();
      const answers: Promise<void>[] = [];
      let [sent, refused, lastUs] = [0, 0, 0];
      const update = async () => {
        // Marks are unique.
        const us = Math.max(nowUs(), lastUs + 1);
        lastUs = us;
        sent++;
        const id = ids[turn++ % ids.length] as string;
        const answer = await socket.call(event, { id, title: markOf(us), ...definedFields({ filler }) });
        if (isRefused(answer)) refused++;
        else answeredUs.set(us, nowUs());
      };
      const startedAt = performance.now();
      for (let due = startedAt; due - startedAt < ms; due += (burst * 1_000) / rate) {
        const waitMs = due - performance.now();
        if (waitMs > 0) await sleep(waitMs);
        for (let at = 0; at < burst; at++) answers.push(update());
      }
      await Promise.all(answers);
      return { sent, answeredUs, refused };
    },
  };
}
