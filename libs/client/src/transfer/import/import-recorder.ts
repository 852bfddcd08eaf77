// Records the tasks and links that an import creates as rows of its source, so that a later file can
// update them. Rule: IO12.
import { definedFields } from '@taskgraph/wire/defined-fields';
import { TaskgraphError } from '../../error.ts';
import type { TransferGraph } from '../graph/transfer-graph.ts';
import { contentHash } from './content-hash.ts';
import { baseOf } from './field-hashes.ts';
import type { ImportPart } from './import-parts.ts';
import { type ImportIdentity, importName, readingName } from './part-sender.ts';
import {
  createRowRecorder,
  type ImportSourceChoice,
  linkBase,
  type RowChange,
  type RowRecorder,
} from './row-recorder.ts';
import { newRunId } from './run-id.ts';
import { sourceIdsOf } from './source-ids.ts';

export interface ImportRecorder {
  /** `nodeIds` has the ids of the nodes by key. */
  recordPart(part: ImportPart, nodeIds: ReadonlyMap<string, string>, batchId: string): Promise<void>;
  complete(): Promise<void>;
}

const NONE: ImportRecorder = {
  recordPart: () => Promise.resolve(),
  complete: () => Promise.resolve(),
};

/**
 * Refusals that do not end an import, because it only lacks the rows. `not_found` and `bad_request`: a gateway
 * or a worker of the previous release.
 */
const TOLERATED: ReadonlySet<string> = new Set([
  'not_found',
  'bad_request',
  'bad_request.unknown_event',
  'forbidden.scope',
  'conflict.too_many_imports',
  'conflict.too_many_import_rows',
  'conflict.import_undo',
  'conflict.import_replaced',
  'conflict.import_source',
]);

interface RecorderOptions extends ImportIdentity {
  readonly source?: ImportSourceChoice | undefined;
  /** Called once if later files cannot update the import. */
  readonly onUnrecorded: (code: string) => void;
}

/** The settings of a source that an update repeats. */
export function settingsOf({
  format,
  reading,
  origin,
}: Pick<ImportIdentity, 'format' | 'reading'> & { origin?: string | undefined }) {
  const options = readingName(reading);
  return { format, reading: options === '' ? '' : contentHash(options), ...definedFields({ origin }) };
}

/**
 * Without a source nothing is recorded, and neither is an import whose source has the tasks of another one:
 * their rows would name its nodes. A complete import is recorded.
 */
export async function createImportRecorder(graph: TransferGraph, options: RecorderOptions): Promise<ImportRecorder> {
  const { source, under, format, onUnrecorded } = options;
  if (source === undefined) return NONE;
  let rows: RowRecorder | null = null;
  const tolerate = async (work: () => Promise<void>) => {
    await work().catch((error: unknown) => {
      if (!(error instanceof TaskgraphError && TOLERATED.has(error.code))) throw error;
      // The source stays incomplete: an update would create the tasks that it does not know a second time.
      rows = null;
      onUnrecorded(error.code);
    });
  };
  await tolerate(async () => {
    const run = newRunId();
    const settings = { ...settingsOf({ ...options, origin: source.origin }), fingerprint: await importName(options) };
    const begun = await source.calls.begin({ name: source.name, run, ...definedFields({ under }), ...settings });
    if (begun.source.state === 'importing') rows = createRowRecorder(source.calls, begun.source.id, run);
  });
  const ids = sourceIdsOf(graph, format);
  const byKey = new Map([...ids.byKey, ...ids.duplicates]);
  const nodes = new Map(graph.nodes.map((node) => [node.key, node]));
  return {
    async recordPart(part, nodeIds, batchId) {
      const changes = part.flatMap((operation): RowChange[] => {
        if (operation.event === 'link:add') {
          const [from, to] = [byKey.get(operation.source), byKey.get(operation.target ?? '')];
          if (operation.target === null || from === undefined || to === undefined) return [];
          return [{ kind: 'link', row: { source: from, target: to, base: linkBase(operation.fields as never) } }];
        }
        const [id, node] = [byKey.get(operation.key), nodeIds.get(operation.key)];
        const values = nodes.get(operation.key);
        if (operation.event !== 'node:add' || id === undefined || node === undefined || values === undefined) return [];
        const path = ids.paths.get(operation.key);
        return [{ kind: 'task', row: { id, node, base: baseOf(values), ...definedFields({ path }) } }];
      });
      if (rows !== null) await tolerate(async () => rows?.store(changes, batchId));
    },
    async complete() {
      if (rows !== null) await tolerate(async () => rows?.complete());
    },
  };
}

/**
 * Drops the rows of nodes that an undo of an import moved to the trash, and the source with the last one. If
 * rows of later updates remain, the source is incomplete until the file is imported again.
 */
export async function dropRows(
  { calls, name }: ImportSourceChoice,
  identity: ImportIdentity,
  nodes: ReadonlySet<string>,
): Promise<void> {
  const run = newRunId();
  try {
    const { source } = await calls.begin({ name, run, mode: 'drop', fingerprint: await importName(identity) });
    let remaining = 0;
    const dropped: RowChange[] = [];
    const tasks = new Set<string>();
    const links: { source: string; target: string }[] = [];
    for (let after: string | undefined; ; ) {
      const page = await calls.rows(source.id, after);
      for (const { id, node } of page.tasks)
        if (nodes.has(node)) tasks.add(id);
        else remaining++;
      links.push(...page.links);
      if (!page.hasMore || page.next === null) break;
      after = page.next;
    }
    for (const id of tasks) dropped.push({ kind: 'droppedTask', id });
    for (const row of links)
      if (tasks.has(row.source) || tasks.has(row.target))
        dropped.push({ kind: 'droppedLink', row: { source: row.source, target: row.target } });
    if (remaining === 0) await calls.delete(source.id);
    else await createRowRecorder(calls, source.id, run).store(dropped);
  } catch (error) {
    if (!(error instanceof TaskgraphError && TOLERATED.has(error.code))) throw error;
  }
}
