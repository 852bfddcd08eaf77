// The table of all commands: those of users, which are declared in `@taskgraph/wire`, and those of
// the system.
import { batchRun } from './batch/batch-run.ts';
import { nodeClaim } from './claim/node-claim.ts';
import { nodeClaimExpire } from './claim/node-claim-expire.ts';
import { nodeClaimRelease } from './claim/node-claim-release.ts';
import { nodeClaimRenew } from './claim/node-claim-renew.ts';
import type { CommandDefinition, SteppedDefinition } from './define-command.ts';
import { batchRedo } from './history/batch-redo.ts';
import { batchUndo } from './history/batch-undo.ts';
import { linkAdd } from './link/link-add.ts';
import { linkDelete } from './link/link-delete.ts';
import { linkPurge } from './link/link-purge.ts';
import { linkRestore } from './link/link-restore.ts';
import { linkSwap } from './link/link-swap.ts';
import { linkTrash } from './link/link-trash.ts';
import { linkUpdate } from './link/link-update.ts';
import { nodeAdd } from './node/node-add.ts';
import { nodeDelete } from './node/node-delete.ts';
import { nodeExpire } from './node/node-expire.ts';
import { nodePurge } from './node/node-purge.ts';
import { nodeRestore } from './node/node-restore.ts';
import { nodeTrash } from './node/node-trash.ts';
import { nodeUpdate } from './node/node-update.ts';
import type { AnyDefinition } from './pipeline/command.ts';
import { nodeAccess } from './sharing/node-access.ts';
import { nodeAccessDelete } from './sharing/node-access-delete.ts';
import { nodeAccessUpdate } from './sharing/node-access-update.ts';
import { nodePublish } from './sharing/node-publish.ts';
import { nodePublishUpdate } from './sharing/node-publish-update.ts';
import { nodeShowing } from './sharing/node-showing.ts';
import { nodeUnpublish } from './sharing/node-unpublish.ts';

// biome-ignore lint/suspicious/noExplicitAny: each definition has its own payload type; the table erases it.
type AnyCommand = CommandDefinition<any> | SteppedDefinition<any>;

/** Commands of one operation. They run alone or in a composite (BAT1). */
const single: readonly AnyCommand[] = [
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

/** The commands of users. */
export const commands: readonly AnyCommand[] = [
  ...single,
  nodeClaim,
  nodeClaimRenew,
  nodeClaimRelease,
  batchRun(byName(single)),
  batchUndo,
  batchRedo,
];

/** The commands of the system. Users cannot send them (HIS1). */
export const systemCommands: readonly AnyCommand[] = [nodeExpire, nodeClaimExpire, nodePurge, linkPurge];

/** The definition of a user's command, if it exists. */
export const definitionOf = byName(commands);

/** The definition of a system command, if it exists. */
export const systemDefinitionOf = byName(systemCommands);

function byName(definitions: readonly AnyCommand[]): (name: string) => AnyDefinition | undefined {
  const found = new Map(definitions.map((definition) => [definition.name, definition]));
  return (name) => found.get(name);
}
