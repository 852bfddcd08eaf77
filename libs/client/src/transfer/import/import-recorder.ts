// Records the tasks and links that an import creates as rows of its source, so that a later file can
// update them. Rule: IO12.
import { TaskgraphError } from '../../error.ts';
import type { TransferGraph } from '../graph/transfer-graph.ts';
import { baseOf } from './field-hashes.ts';
import type { ImportPart } from './import-parts.ts';
import { createRowRecorder, linkBase, type RowChange, type RowRecorder, type SourceCalls } from './row-recorder.ts';
import { newRunId } from './run-id.ts';
import { sourceIdsOf } from './source-ids.ts';

/** The source of an import. */
export interface ImportSourceChoice {
  readonly calls: SourceCalls;
  /** The name of the source. */
  readonly name: string;
}

export interface ImportRecorder {
  /** `ids` has the ids of the nodes by key. */
  recordPart(part: ImportPart, ids: ReadonlyMap<string, string>, batchId: string): Promise<void>;
  complete(): Promise<void>;
}

const NONE: ImportRecorder = {
  recordPart: () => Promise.resolve(),
  complete: () => Promise.resolve(),
};

/** Refusals that do not end an import, because it only lacks the rows. `not_found`: an older service. */
const TOLERATED: ReadonlySet<string> = new Set([
  'not_found',
  'forbidden.scope',
  'conflict.too_many_imports',
  'conflict.too_many_import_rows',
  'conflict.import_undo',
  'conflict.import_replaced',
]);

interface RecorderOptions {
  readonly format: string;
  readonly under?: string | undefined;
  readonly source?: ImportSourceChoice | undefined;
  /** Called once if later files cannot update the import. */
  readonly onUnrecorded: (code: string) => void;
}

/** Without a source nothing is recorded. */
export async function createImportRecorder(graph: TransferGraph, options: RecorderOptions): Promise<ImportRecorder> {
  const { source, under, format, onUnrecorded } = options;
  if (source === undefined) return NONE;
  let rows: RowRecorder | null = null;
  const tolerate = async (work: () => Promise<void>) => {
    await work().catch((error: unknown) => {
      if (!(error instanceof TaskgraphError && TOLERATED.has(error.code))) throw error;
      rows = null;
      onUnrecorded(error.code);
    });
  };
  await tolerate(async () => {
    const run = newRunId();
    const start = { name: source.name, run, ...(under === undefined ? {} : { under }) };
    const begun = await source.calls.begin(start);
    rows = createRowRecorder(source.calls, begun.source.id, run);
  });
  const { byKey } = sourceIdsOf(graph, format);
  const nodes = new Map(graph.nodes.map((node) => [node.key, node]));
  return {
    async recordPart(part, ids, batchId) {
      const changes = part.flatMap((operation): RowChange[] => {
        if (operation.event === 'link:add') {
          const [from, to] = [byKey.get(operation.source), byKey.get(operation.target ?? '')];
          if (operation.target === null || from === undefined || to === undefined) return [];
          return [{ kind: 'link', row: { source: from, target: to, base: linkBase(operation.fields as never) } }];
        }
        const [id, node] = [byKey.get(operation.key), ids.get(operation.key)];
        const values = nodes.get(operation.key);
        if (operation.event !== 'node:add' || id === undefined || node === undefined || values === undefined) return [];
        return [{ kind: 'task', row: { id, node, base: baseOf(values) } }];
      });
      if (rows !== null) await tolerate(async () => rows?.store(changes, batchId));
    },
    async complete() {
      if (rows !== null) await tolerate(async () => rows?.complete());
    },
  };
}

/** Drops the rows of nodes that an undo of an import moved to the trash. */
export async function dropRows({ calls, name }: ImportSourceChoice, nodes: ReadonlySet<string>): Promise<void> {
  const run = newRunId();
  try {
    const { source } = await calls.begin({ name, run, mode: 'update' });
    const dropped: RowChange[] = [];
    const tasks = new Set<string>();
    const links: { source: string; target: string }[] = [];
    for (let after: string | undefined; ; ) {
      const page = await calls.rows(source.id, after);
      for (const { id, node } of page.tasks) if (nodes.has(node)) tasks.add(id);
      links.push(...page.links);
      if (!page.hasMore || page.next === null) break;
      after = page.next;
    }
    for (const id of tasks) dropped.push({ kind: 'droppedTask', id });
    for (const row of links)
      if (tasks.has(row.source) || tasks.has(row.target))
        dropped.push({ kind: 'droppedLink', row: { source: row.source, target: row.target } });
    const recorder = createRowRecorder(calls, source.id, run);
    await recorder.store(dropped);
    await recorder.complete();
  } catch (error) {
    if (!(error instanceof TaskgraphError && TOLERATED.has(error.code))) throw error;
  }
}
