// The copy of the graph on this device: the tasks, and the changes that are not sent yet. The reader
// may turn it off, and it ends with the session.
import { deleteIndexedDb, type FallbackStorage, fallbackStorage } from '@taskgraph/client';
import { errorText } from '../error-text.ts';
import { messages } from '../messages/messages.ts';
import { note } from './notices.ts';
import { preferenceOf } from './preferences.ts';

const NAME = 'taskgraph';

/** Browsers have locks only on pages with TLS or of this machine; without them two tabs would share a copy. */
function isCopyOn(): boolean {
  return preferenceOf('copy') !== 'off' && 'locks' in navigator;
}

export function openDeviceCopy(): FallbackStorage {
  return fallbackStorage(NAME, {
    isOn: isCopyOn(),
    failed(error) {
      // Another tab may have turned it off.
      if (isCopyOn()) note('refused', messages.copyFailed(errorText(error)));
    },
  });
}

/** Deletes the copy of any reader; or the one that a page has open, unless it is deleted already. */
export async function deleteDeviceCopy(copy?: FallbackStorage): Promise<void> {
  try {
    await (copy === undefined ? deleteIndexedDb(NAME) : copy.turnOff());
  } catch (error) {
    note('refused', messages.copyStays(errorText(error)));
  }
}
