// The list of all commands and reads. REST routes, socket handlers and the SDK's methods are made from it.

import { batchRedo } from './batch-redo.ts';
import { batchUndo } from './batch-undo.ts';
import { branchGet } from './branch-get.ts';
import { changesGet } from './changes-get.ts';
import type { CommandDefinition, ReadDefinition } from './define-command.ts';
import { graphGet } from './graph-get.ts';
import { historyPage } from './history-page.ts';
import { linkAdd } from './link-add.ts';
import { linkDelete } from './link-delete.ts';
import { linkRestore } from './link-restore.ts';
import { linkSwap } from './link-swap.ts';
import { linkTrash } from './link-trash.ts';
import { linkUpdate } from './link-update.ts';
import { nodeAccess } from './node-access.ts';
import { nodeAccessDelete } from './node-access-delete.ts';
import { nodeAccessList } from './node-access-list.ts';
import { nodeAccessUpdate } from './node-access-update.ts';
import { nodeAdd } from './node-add.ts';
import { nodeDelete } from './node-delete.ts';
import { nodePublish } from './node-publish.ts';
import { nodePublishUpdate } from './node-publish-update.ts';
import { nodeRestore } from './node-restore.ts';
import { nodeShowing } from './node-showing.ts';
import { nodeTrash } from './node-trash.ts';
import { nodeUnpublish } from './node-unpublish.ts';
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
