// The tasks that a text of the reader finds, for fields with a list. Of a text that continues the last
// one, only the hits of that one are searched again: each key would search 20,000 tasks otherwise.
import { type Entity, findNodes, foldText, type Replica, TaskgraphError } from '@taskgraph/client';
import { type Task, taskOf } from '../graph/task.ts';

type SearchedReplica = Pick<Replica, 'find' | 'snapshot' | 'username'>;

interface Search {
  readonly revision: number;
  /** As a search compares it. */
  readonly text: string;
  readonly hits: readonly Entity[];
}

const MOST_TASKS = 8;
const LAST = new WeakMap<SearchedReplica, Search>();

/** The first tasks for a text; none for one that no search may have (FIND4). */
export function tasksFor(replica: SearchedReplica, text: string): readonly Task[] {
  if (text.trim() === '') return [];
  try {
    return hitsFor(replica, text.trim()).slice(0, MOST_TASKS).map(taskOf);
  } catch (error) {
    if (error instanceof TaskgraphError) return [];
    throw error;
  }
}

/** All hits of a text, in the order of `find`. Throws like it. */
export function hitsFor(replica: SearchedReplica, text: string): readonly Entity[] {
  const { revision, links } = replica.snapshot();
  const folded = foldText(text);
  const last = LAST.get(replica);
  const isContinued = last !== undefined && last.revision === revision && folded.startsWith(last.text);
  const hits = isContinued
    ? findNodes({ nodes: new Map(last.hits.map((node) => [node.id, node])), links }, { text }, replica)
    : replica.find({ text });
  LAST.set(replica, { revision, text: folded, hits });
  return hits;
}
