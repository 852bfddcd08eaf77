// The sources of the calling user's imports, and their rows. Rule: IO12.
import { createHash } from 'node:crypto';
import {
  type BeginRefusal,
  beginImport,
  deleteImportSource,
  type ImportRowRecord,
  type ImportSettings,
  listImportSources,
  mayRecordBatch,
  readImportRows,
  revertImportRows,
  storeImportRows,
} from '@taskgraph/graph-store/imports/import-rows';
import type { AccountEvent } from '@taskgraph/wire/bus/account-messages';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import {
  IMPORT_ROWS_AT_ONCE,
  type ImportLink,
  type ImportTask,
  MAXIMUM_IMPORT_ROWS,
  MAXIMUM_IMPORT_SOURCES,
} from '@taskgraph/wire/imports/import-fields';
import { handleFor } from './handler.ts';

const unknownSource = refuse('not_found', 'There is no such source.');
const replaced = refuse('conflict.import_replaced', 'Another import or update of this source began meanwhile.');

type ImportEvent = Extract<AccountEvent, `account:import${string}`>;

/** A bot owns no nodes, so it imports none. Removed bots would leave rows behind. */
function handleForPerson<E extends ImportEvent>(
  event: E,
  work: Parameters<typeof handleFor<E>>[1],
): ReturnType<typeof handleFor<E>> {
  return handleFor(event, async (request, environment) =>
    request.actor.maintainer === undefined
      ? work(request, environment)
      : refuse('forbidden.target_required', 'A bot cannot own nodes, so it has no sources of imports.'),
  );
}

export const accountImports = handleForPerson('account:imports', async ({ actor }, { database }) => ({
  sources: await listImportSources(database, actor.id),
}));

export const accountImportBegin = handleForPerson(
  'account:import:begin',
  async ({ payload, actor, now }, { database }) => {
    const begun = await beginImport(database, { ...payload, userId: actor.id, most: MAXIMUM_IMPORT_SOURCES, now });
    if (begun === null) return unknownSource;
    if ('settings' in begun) return beginRefusal(begun.outcome, differences(payload, begun.settings));
    const { source, used, interrupted } = begun;
    return { source, free: Math.max(0, MAXIMUM_IMPORT_ROWS - used), user: actor.id, interrupted };
  },
);

const SETTING_NAMES = { format: 'format', reading: 'reading', under: 'parent', origin: 'file' } as const;

function beginRefusal(outcome: BeginRefusal, differs: readonly (keyof ImportSettings)[]): Refusal {
  switch (outcome) {
    case 'too_many':
      return refuse(
        'conflict.too_many_imports',
        `A user can have at most ${MAXIMUM_IMPORT_SOURCES} sources of imports.`,
        { most: MAXIMUM_IMPORT_SOURCES },
      );
    case 'undo':
      return refuse('conflict.import_undo', 'The undo of the last update of this source was interrupted.');
    case 'incomplete':
      return refuse('conflict.import_incomplete', 'The last import or update of this source was interrupted.');
    case 'no_update':
      return refuse('not_found', 'There is no update of this source.');
    case 'other':
      return refuse('conflict.import_source', 'This source has the tasks of another import.');
    case 'settings':
      return refuse(
        'conflict.import_settings',
        `The earlier import had another ${differs.map((name) => SETTING_NAMES[name]).join(' and another ')}.`,
        {
          differs: [...differs],
        },
      );
  }
}

/** The names of the settings that differ. One that the client does not name does not. */
function differences(wanted: ImportSettings, known: ImportSettings): (keyof ImportSettings)[] {
  return (['format', 'reading', 'under', 'origin'] as const).filter((name) => {
    if (wanted[name] === null || (name === 'origin' && known.origin === null)) return false;
    return (wanted[name] || null) !== known[name];
  });
}

export const accountImportStore = handleForPerson('account:import:store', async ({ payload, actor }, { database }) => {
  const { source, run, complete, batch, request } = payload;
  const userId = actor.id;
  if (batch !== null) {
    const isOwn = await mayRecordBatch(database, { userId, source, batch });
    if (isOwn === null) return unknownSource;
    if (!isOwn) return refuse('not_found', 'There is no such batch of you since this update began.');
  }
  const rows: ImportRowRecord[] = [
    ...payload.tasks.map((task) => ({ key: taskKey(task.id), value: JSON.stringify(task) })),
    ...payload.links.map((link) => ({ key: linkKey(link), value: JSON.stringify(link) })),
    ...payload.droppedTasks.map((id) => ({ key: taskKey(id), value: null })),
    ...payload.droppedLinks.map((link) => ({ key: linkKey(link), value: null })),
    ...(batch === null ? [] : [{ key: `b${batch}`, value: 'true' }]),
  ];
  // One call may name a row once: the last one wins.
  const unique = [...new Map(rows.map((row) => [row.key, row])).values()];
  const input = { userId, source, run, request, rows: unique, complete, most: MAXIMUM_IMPORT_ROWS };
  const stored = await storeImportRows(database, input);
  if (stored === null) return unknownSource;
  if (stored === 'replaced') return replaced;
  if (stored === 'stored') return {};
  return refuse('conflict.too_many_import_rows', `A user can have at most ${MAXIMUM_IMPORT_ROWS} rows of imports.`, {
    most: MAXIMUM_IMPORT_ROWS,
  });
});

export const accountImportRows = handleForPerson('account:import:rows', async ({ payload, actor }, { database }) => {
  const page = await readImportRows(database, { ...payload, userId: actor.id, limit: IMPORT_ROWS_AT_ONCE });
  if (page === null) return unknownSource;
  const valuesOf = (kind: string) =>
    page.rows.flatMap(({ key, value }) => (key.startsWith(kind) ? [JSON.parse(value) as unknown] : []));
  return {
    tasks: valuesOf('t') as ImportTask[],
    links: valuesOf('l') as ImportLink[],
    batches: page.rows.flatMap(({ key, number, isLast }) =>
      key.startsWith('b') && isLast ? [{ id: key.slice(1), number: number ?? 0 }] : [],
    ),
    next: page.next,
  };
});

export const accountImportRevert = handleForPerson(
  'account:import:revert',
  async ({ payload, actor }, { database }) => {
    const reverted = await revertImportRows(database, { ...payload, userId: actor.id, limit: IMPORT_ROWS_AT_ONCE });
    if (reverted === null) return unknownSource;
    return reverted === 'replaced' ? replaced : reverted;
  },
);

export const accountImportDelete = handleForPerson(
  'account:import:delete',
  async ({ payload, actor, now }, { database }) =>
    (await deleteImportSource(database, { ...payload, userId: actor.id, now })) ? {} : unknownSource,
);

/** Ids of tasks may have any length and characters, and keys are in an index. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 40);
}

function taskKey(id: string): string {
  return `t${hashOf(id)}`;
}

function linkKey({ source, target }: { readonly source: string; readonly target: string }): string {
  return `l${hashOf(JSON.stringify([source, target]))}`;
}
