// The list of all commands and reads. REST routes, socket handlers and the SDK's methods are made from it.

import type { CommandDefinition, ReadDefinition } from './define-command.ts';
import { graphGet } from './graph-get.ts';
import { linkAdd } from './link-add.ts';
import { linkDelete } from './link-delete.ts';
import { linkRestore } from './link-restore.ts';
import { linkSwap } from './link-swap.ts';
import { linkTrash } from './link-trash.ts';
import { linkUpdate } from './link-update.ts';
import { nodeAdd } from './node-add.ts';
import { nodeDelete } from './node-delete.ts';
import { nodeRestore } from './node-restore.ts';
import { nodeTrash } from './node-trash.ts';
import { nodeUpdate } from './node-update.ts';
import { trashPage } from './trash-page.ts';

// biome-ignore lint/suspicious/noExplicitAny: each definition has its own payload type; the catalog erases it.
type AnyCommand = CommandDefinition<any>;
// biome-ignore lint/suspicious/noExplicitAny: see above.
type AnyRead = ReadDefinition<any>;

export const catalog: readonly (AnyCommand | AnyRead)[] = [
  nodeAdd,
  nodeUpdate,
  nodeTrash,
  nodeRestore,
  nodeDelete,
  linkAdd,
  linkUpdate,
  linkSwap,
  linkTrash,
  linkRestore,
  linkDelete,
  graphGet,
  trashPage,
];

/** The definition of an event, or undefined where there is none. */
export function definitionOf(event: string): AnyCommand | AnyRead | undefined {
  return byEvent.get(event);
}

const byEvent = new Map(catalog.map((definition) => [definition.event, definition]));
