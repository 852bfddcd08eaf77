// The copy of the graph on this device: the tasks, and the changes that are not sent yet. The reader
// may turn it off, and it ends with the session.
import { deleteIndexedDb, type FallbackStorage, fallbackStorage, type Replica } from '@taskgraph/client';
import { errorText } from '../error-text.ts';
import { tray as texts } from '../messages/texts/tray.ts';
import { choiceKey } from '../stored-choice.ts';
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
  const turnOn = ({ key }: StorageEvent) => key === choiceKey('copy') && isCopyOn() && void copy.turnOn();
  addEventListener('storage', turnOn, { signal });
  return copy;
}

/** Deletes the copy of any reader; or the one that a page has open, unless it is deleted already. */
export async function deleteDeviceCopy(copy?: FallbackStorage): Promise<void> {
  copyListeners.abort();
  try {
    await (copy === undefined ? deleteIndexedDb(NAME) : copy.turnOff());
  } catch (error) {
    note('refused', texts.copyStays(errorText(error)));
  }
}

/** The changes of all tabs that are deleted with the copy. */
export interface LostChanges {
  readonly unsent: number;
  readonly refused: number;
  /** Why those of other tabs could not be read; null if they are counted. */
  readonly unread: string | null;
}

/** Null if there are certainly none. */
export async function lostChanges(replica: Replica, copy: FallbackStorage): Promise<LostChanges | null> {
  let others: readonly string[] = [];
  let unread: string | null = null;
  try {
    others = await copy.keysOfOthers();
  } catch (error) {
    unread = errorText(error);
  }
  const ofOthers = (prefix: string) => others.filter((key) => key.startsWith(prefix)).length;
  const unsent = replica.waiting + ofOthers('command/');
  const refused = replica.refusals().length + ofOthers('refused/');
  return unsent + refused === 0 && unread === null ? null : { unsent, refused, unread };
}
