// The list of the commands that are one operation each: they go alone, or several of them in a composite (BAT1).

import type { CommandDefinition } from './define-command.ts';
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
import { nodeAccess } from './sharing/node-access.ts';
import { nodeAccessDelete } from './sharing/node-access-delete.ts';
import { nodeAccessUpdate } from './sharing/node-access-update.ts';
import { nodePublish } from './sharing/node-publish.ts';
import { nodePublishUpdate } from './sharing/node-publish-update.ts';
import { nodeShowing } from './sharing/node-showing.ts';
import { nodeUnpublish } from './sharing/node-unpublish.ts';

// biome-ignore lint/suspicious/noExplicitAny: each definition has its own payload type; the list erases it.
type AnyMutation = CommandDefinition<any>;

export const mutations: readonly AnyMutation[] = [
  nodeAdd,
  nodeUpdate,
  nodeTrash,
  nodeRestore,
  nodeDelete,
  nodeAccess,
  nodeAccessDelete,
  nodeAccessUpdate,
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
];

/** The definition of an operation by its event, or undefined where there is none. */
export function mutationOf(event: string): AnyMutation | undefined {
  return byEvent.get(event);
}

const byEvent = new Map(mutations.map((definition) => [definition.event, definition]));
