// The copy of the graph on this device: the tasks, and the changes that are not sent yet. The reader
// may turn it off, and it ends with the session.
import { deleteForeignIndexedDb, type FallbackStorage, fallbackStorage, type Replica } from '@taskgraph/client';
import { errorText } from '../error-text.ts';
import { tray as texts } from '../messages/texts/tray.ts';
import { preferenceKey } from '../stored-preference.ts';
import { countLost, type LostChanges } from './lost-changes.ts';
import { note } from './notices.ts';
import { preferenceOf } from './preferences.ts';

const NAME = 'taskgraph';

/** Browsers have locks only on pages with TLS or of this machine; without them two tabs would share a copy. */
function isCopyOn(): boolean {
  return preferenceOf('copy') !== 'off' && 'locks' in navigator;
}

/** Ends with the open copy. */
let copyListeners = new AbortController();

export function openDeviceCopy(): FallbackStorage {
  const copy = fallbackStorage(NAME, {
    isOn: isCopyOn(),
    failed(error) {
      // Another tab may have turned it off.
      if (isCopyOn()) note('refused', texts.copyFailed(errorText(error)));
    },
  });
  copyListeners.abort();
  copyListeners = new AbortController();
  const { signal } = copyListeners;
  // A tab that turns it off deletes it for all tabs, and one that turns it on again does so for all.
  const turnOn = ({ key }: StorageEvent) => key === preferenceKey('copy') && isCopyOn() && void copy.turnOn();
  addEventListener('storage', turnOn, { signal });
  return copy;
}

/** Deletes the copy that this page has open, unless it is deleted already. */
export function deleteDeviceCopy(copy: FallbackStorage): Promise<void> {
  copyListeners.abort();
  return noteFailedDeletion(copy.turnOff());
}

/** Before this user's copy is opened: deletes the copy of any reader, unless another tab of the user has it open. */
export function deleteForeignCopy(userId: string): Promise<void> {
  return noteFailedDeletion(deleteForeignIndexedDb(NAME, userId));
}

async function noteFailedDeletion(deletion: Promise<void>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    note('refused', texts.copyStays(errorText(error)));
  }
}

/** Null if there are certainly none. */
export async function findLostChanges(replica: Replica, copy: FallbackStorage): Promise<LostChanges | null> {
  let others: ReadonlyMap<string, unknown> = new Map();
  let unread: string | null = null;
  try {
    others = await copy.entriesOfOthers();
  } catch (error) {
    unread = errorText(error);
  }
  const counts = countLost(replica, others);
  return counts.unsent + counts.refused === 0 && unread === null ? null : { ...counts, unread };
}
