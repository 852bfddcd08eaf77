// The list of all commands and reads. REST routes, socket handlers and the SDK's methods are made from it.

import { batchRun } from './batch/batch-run.ts';
import type { CommandDefinition, ReadDefinition, SteppedDefinition } from './define-command.ts';
import { batchRedo } from './history/batch-redo.ts';
import { batchUndo } from './history/batch-undo.ts';
import { mutations } from './mutations.ts';
import { branchGet } from './reads/branch-get.ts';
import { changesGet } from './reads/changes-get.ts';
import { graphGet } from './reads/graph-get.ts';
import { graphPlan } from './reads/graph-plan.ts';
import { historyPage } from './reads/history-page.ts';
import { nodeAccessList } from './reads/node-access-list.ts';
import { nodeWhy } from './reads/node-why.ts';
import { trashPage } from './reads/trash-page.ts';

// biome-ignore lint/suspicious/noExplicitAny: each definition has its own payload type; the catalog erases it.
type AnyCommand = CommandDefinition<any> | SteppedDefinition<any>;
// biome-ignore lint/suspicious/noExplicitAny: see above.
type AnyRead = ReadDefinition<any>;

export const catalog: readonly (AnyCommand | AnyRead)[] = [
  ...mutations,
  batchRun,
  batchUndo,
  batchRedo,
  nodeAccessList,
  graphGet,
  branchGet,
  trashPage,
  historyPage,
  changesGet,
  graphPlan,
  nodeWhy,
];

/** The definition of an event, or undefined where there is none. */
export function definitionOf(event: string): AnyCommand | AnyRead | undefined {
  return byEvent.get(event);
}

const byEvent = new Map(catalog.map((definition) => [definition.event, definition]));
