// Why the status of a Blocked task cannot be set, in words: its visible blockers by name (BLK4).
import type { Task } from '../graph/task.ts';
import { messages, titleOf } from '../messages/messages.ts';

const MOST_NAMED = 5;

export function blockedReason(blockers: readonly Task[]): string {
  const named = blockers.slice(0, MOST_NAMED).map((blocker) => messages.quoted(titleOf(blocker)));
  const more = blockers.length - named.length;
  return messages.panel.cannotSet(more > 0 ? [...named, messages.panel.more(more)] : named);
}
