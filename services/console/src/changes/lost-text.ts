// The changes that signing out would delete, in words.
import { tray as texts } from '../messages/texts/tray.ts';
import type { LostChanges } from '../session/lost-changes.ts';

/** A sentence each; none if nothing would be deleted. */
export function lostText(lost: LostChanges | null): string[] {
  if (lost === null) return [];
  const { unsent, refused, unread } = lost;
  return [
    ...(unsent > 0 ? [texts.signOutUnsent(unsent)] : []),
    ...(refused > 0 ? [texts.signOutRefused(refused)] : []),
    ...(unread === null ? [] : [texts.signOutUnread(unread)]),
    texts.signOutDeletes,
  ];
}
