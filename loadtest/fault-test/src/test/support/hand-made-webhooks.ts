// Hand-made webhooks of the good history, which tests of the checker spoil.
import type { HookEvent, HookMessage, WebhookLog } from '../../history/history.ts';
import { good, type RunRecords } from './hand-made.ts';

export const event = (type: string, batch: string, id: string, more: Partial<HookEvent> = {}): HookEvent => ({
  type,
  batch: `b-${batch}`,
  id,
  isWhole: true,
  version: null,
  title: null,
  level: null,
  dueDate: null,
  digest: 1,
  ...more,
});
export const message = (id: string, at: number, events: HookEvent[], more: Partial<HookMessage> = {}): HookMessage => ({
  id,
  type: 'graph.changed',
  arrivedMs: at,
  stalledMs: 0,
  endedMs: at + 10,
  isAccepted: true,
  feeds: {},
  events,
  isTruncated: false,
  unknownFields: [],
  isSigned: true,
  ...more,
});
export const webhook = (user: string, messages: HookMessage[], more: Partial<WebhookLog> = {}): WebhookLog => ({
  client: `hook of ${user}`,
  user,
  root: null,
  events: [],
  addedMs: Number.NEGATIVE_INFINITY,
  enabledMs: null,
  messages,
  ...more,
});

export const renamed = event('node.changed', 'rename', 'child', { version: 2, title: 'rename' });
export const again = event('node.changed', 'again', 'child', { version: 3 });
export const gained = event('access.gained', 'share', 'root', { level: 2 });
const lost = event('access.lost', 'revoke', 'root');

/** The times in seconds: Ann's commands are at 0, 10, 20 (the grant), 30, 40 (its end) and 50. */
export interface Messages {
  ann: HookMessage[];
  bob: HookMessage[];
}

export function goodMessages(): Messages {
  return {
    ann: [
      message(
        'a1',
        15_000,
        [
          event('node.added', 'add-root', 'root', { version: 1 }),
          event('node.added', 'add-child', 'child', { version: 1 }),
          event('link.added', 'add-child', 'l-child', { version: 1 }),
        ],
        { feeds: { 'user:ann': [0, 2] } },
      ),
      message('a2', 35_000, [renamed], { isAccepted: false, feeds: { 'user:ann': [2, 4] } }),
      message('a2', 41_000, [renamed], { feeds: { 'user:ann': [2, 4] } }),
      message('a3', 56_000, [again], { feeds: { 'user:ann': [4, 6] } }),
    ],
    bob: [
      message('b1', 26_000, [gained], { feeds: { 'user:bob': [0, 1] } }),
      message('b2', 36_000, [renamed], { feeds: { 'root:root': [0, 1] } }),
      message('b3', 56_000, [lost], { feeds: { 'user:bob': [1, 2] } }),
    ],
  };
}

/** The good history, a thousand times as slow, with these webhooks. */
export function records(spoil: (messages: Messages) => void = () => undefined): RunRecords {
  const { history, stored } = good();
  const messages = goodMessages();
  spoil(messages);
  const slow = <T extends { readonly calledMs: number; readonly endedMs: number }>(each: T): T => ({
    ...each,
    calledMs: each.calledMs * 1_000,
    endedMs: each.endedMs * 1_000,
  });
  return {
    stored,
    history: {
      ...history,
      commands: history.commands.map((each) => ({ ...slow(each), endedMs: each.calledMs * 1_000 + 100 })),
      reads: history.reads.map(slow),
      webhooks: [webhook('ann', messages.ann), webhook('bob', messages.bob)],
    },
  };
}
