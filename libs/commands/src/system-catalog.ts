// The list of the commands that jobs send as the system. It stands apart from the catalog, so that no route and no socket event leads here.

import type { SystemCommandDefinition } from './define-command.ts';
import { linkPurge } from './link/link-purge.ts';
import { nodeExpire } from './node/node-expire.ts';
import { nodePurge } from './node/node-purge.ts';

// biome-ignore lint/suspicious/noExplicitAny: each definition has its own payload type; the catalog erases it.
type AnySystemCommand = SystemCommandDefinition<any>;

export const systemCatalog: readonly AnySystemCommand[] = [nodeExpire, nodePurge, linkPurge];

/** The definition of an event that the system alone may send, or undefined where there is none. */
export function systemDefinitionOf(event: string): AnySystemCommand | undefined {
  return systemCatalog.find((definition) => definition.event === event);
}
