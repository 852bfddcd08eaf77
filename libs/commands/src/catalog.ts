// The list of all commands and reads. REST routes, socket handlers and the SDK's methods are made from it.

import type { CommandDefinition, ReadDefinition } from './define-command.ts';
import { batchRedo } from './history/batch-redo.ts';
import { batchUndo } from './history/batch-undo.ts';
import { linkAdd } from './link/link-add.ts';
import { linkDelete } from './link/link-delete.ts';
import { linkRestore } from './link/link-restore.ts';
import { linkSwap } from './link/link-swap.ts';
import { linkTrash } from './link/link-trash.ts';
import { linkUpdate } from './link/link-update.ts';
import { nodeAdd } from './node/node-add.ts';
import { nodeDelete } from './node/node-delete.ts';
import { nodeRestore } from './node/node-restore.ts';
import { nodeTrash } from './node/node-trash.ts';
import { nodeUpdate } from './node/node-update.ts';
import { branchGet } from './reads/branch-get.ts';
import { changesGet } from './reads/changes-get.ts';
import { graphGet } from './reads/graph-get.ts';
import { historyPage } from './reads/history-page.ts';
import { nodeAccessList } from './reads/node-access-list.ts';
import { trashPage } from './reads/trash-page.ts';
import { nodeAccess } from './sharing/node-access.ts';
import { nodeAccessDelete } from './sharing/node-access-delete.ts';
import { nodeAccessUpdate } from './sharing/node-access-update.ts';
import { nodePublish } from './sharing/node-publish.ts';
import { nodePublishUpdate } from './sharing/node-publish-update.ts';
import { nodeShowing } from './sharing/node-showing.ts';
import { nodeUnpublish } from './sharing/node-unpublish.ts';

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
  nodeAccess,
  nodeAccessDelete,
  nodeAccessUpdate,
  nodeAccessList,
  nodeShowing,
  nodePublish,
  nodePublishUpdate,
  nodeUnpublish,
  linkAdd,
  linkUpdate,
  linkSwap,
  linkTrash,
  linkRestore,
  linkDelete,
  batchUndo,
  batchRedo,
  graphGet,
  branchGet,
  trashPage,
  historyPage,
  changesGet,
];

/** The definition of an event, or undefined where there is none. */
export function definitionOf(event: string): AnyCommand | AnyRead | undefined {
  return byEvent.get(event);
}

const byEvent = new Map(catalog.map((definition) => [definition.event, definition]));
