// The sources of imports of a service for tests, by the rules of the real one.
import type { ImportBatch, ImportLink, ImportSource, ImportTask } from '@taskgraph/wire/public-types';
import type { ImportSourceCalls, ImportStart } from '../../account/imports.ts';
import { TaskgraphError, type TaskgraphErrorCode } from '../../error.ts';

interface StoredRow {
  value: ImportTask | ImportLink | ImportBatch | null;
  former?: StoredRow['value'];
  group: number;
}

interface StoredSource {
  source: ImportSource;
  settings: Pick<ImportStart, 'under' | 'format' | 'reading' | 'origin' | 'fingerprint'>;
  importGroup: number;
  /** The group that was undone last. */
  undone: number;
  run: string;
  nextGroup: number;
  readonly rows: Map<string, StoredRow>;
}

const PAGE = 3;

/** Keys of batches whose order is not that of the ids, like those of workers with other clocks. */
const reversed = (id: string) => [...id].reverse().join('');

const NO_SETTINGS = { format: '', reading: '', origin: '' };
const MODES = { import: 'importing', drop: 'importing', update: 'running', undo: 'undoing' } as const;

function refusal(code: TaskgraphErrorCode, details: Record<string, unknown> = {}): TaskgraphError {
  return new TaskgraphError({ code, message: code, details, traceId: null });
}

function liveRows({ rows }: Pick<StoredSource, 'rows'>): number {
  return [...rows].filter(([key, { value }]) => !key.startsWith('b') && value !== null).length;
}

function differences({ settings }: Pick<StoredSource, 'settings'>, wanted: Partial<ImportStart>): string[] {
  return (['format', 'reading', 'under', 'origin'] as const).filter((name) => {
    if (wanted[name] === undefined || (name === 'origin' && !settings.origin)) return false;
    return wanted[name] !== (settings[name] ?? '');
  });
}

/** Like the statement of the service that begins a run. */
function beginOutcome(
  { source, settings, importGroup, undone, rows }: StoredSource,
  { mode = 'import', fingerprint = '', ...wanted }: ImportStart,
): 'begun' | 'recorded' | TaskgraphErrorCode {
  if (mode === 'undo') {
    const { format, origin } = wanted;
    if (differences({ settings }, { ...(format && { format }), ...(origin && { origin }) }).length > 0)
      return 'conflict.import_settings';
  }
  if (source.state === 'undoing') return mode === 'undo' ? 'begun' : 'conflict.import_undo';
  if (mode === 'undo') {
    if (source.state === 'importing') return 'conflict.import_incomplete';
    if (source.state === 'running') return 'begun';
    return source.group === importGroup || source.group === undone ? 'not_found' : 'begun';
  }
  if (mode === 'update') {
    if (source.state === 'importing') return 'conflict.import_incomplete';
    const differs = differences({ settings }, wanted).length > 0;
    return differs ? 'conflict.import_settings' : 'begun';
  }
  if (mode === 'import' && liveRows({ rows }) === 0) return 'begun';
  if ((settings.fingerprint ?? '') !== fingerprint) return 'conflict.import_source';
  return mode === 'drop' || source.state === 'importing' ? 'begun' : 'recorded';
}

/** `onCall` runs before and after each call that changes something, and may throw. */
export function createMemorySources(
  onCall: (when: 'before' | 'after') => void = () => undefined,
): ImportSourceCalls & { readonly all: ReadonlyMap<string, StoredSource> } {
  const all = new Map<string, StoredSource>();
  let lastBatch = 0;
  const byId = (id: string) => {
    const found = [...all.values()].find(({ source }) => source.id === id);
    if (found === undefined) throw refusal('not_found');
    return found;
  };
  const current = (id: string, run: string) => {
    const found = byId(id);
    if (found.run !== run) throw refusal('conflict.import_replaced');
    return found;
  };
  const answered = { ok: true as const, trace_id: '' };
  const put = ({ source, rows }: StoredSource, key: string, value: StoredRow['value']) => {
    const known = rows.get(key);
    if (known === undefined) {
      if (value !== null) rows.set(key, { value, group: source.group });
      return;
    }
    const former = known.group === source.group ? known.former : known.value;
    rows.set(key, { value, group: source.group, ...(former === undefined ? {} : { former }) });
  };
  return {
    all,
    async list() {
      return [...all.values()].map(({ source, importGroup, undone }) => ({
        ...source,
        undoable: source.group !== importGroup && source.group !== undone,
      }));
    },
    async begin(start) {
      const { name, run, mode = 'import' } = start;
      let found = all.get(name);
      if (found === undefined && mode !== 'import') throw refusal('not_found');
      if (found === undefined) {
        const id = `01985f17-c6a0-7a11-8f42-${String(all.size).padStart(12, '0')}`;
        const times = { createdTime: '', lastUsed: '' };
        const source = {
          id,
          name,
          under: null,
          ...times,
          group: 0,
          state: 'complete' as const,
          rows: 0,
          undoable: false,
          ...NO_SETTINGS,
        };
        found = { source, run, nextGroup: 0, importGroup: 0, undone: -1, settings: {}, rows: new Map() };
        all.set(name, found);
      }
      const outcome = beginOutcome(found, start);
      const interrupted = found.source.state !== 'complete';
      const answer = { ...answered, interrupted, free: 1_000_000, user: '01985f17-c6a0-7a11-8f42-000000000000' };
      if (outcome === 'recorded') return { ...answer, source: found.source };
      if (outcome === 'conflict.import_settings') throw refusal(outcome, { differs: differences(found, start) });
      if (outcome !== 'begun') throw refusal(outcome);
      found.run = run;
      if (mode === 'undo' && found.source.state === 'running')
        found.source = { ...found.source, group: found.nextGroup };
      if (found.source.state === 'complete') found.nextGroup = found.source.group + 1;
      if (mode === 'import') found.settings = start;
      const { under = null, format = '', reading = '', origin = '' } = found.settings;
      found.source = { ...found.source, under, format, reading, origin, state: MODES[mode] };
      for (const [key, row] of found.rows)
        if ((key.startsWith('b') || row.value === null) && row.group < found.source.group) found.rows.delete(key);
      const group = mode === 'undo' ? found.source.group : found.nextGroup;
      return { ...answer, source: { ...found.source, group } };
    },
    async store(id, run, { tasks = [], links = [], droppedTasks = [], droppedLinks = [], batch, complete }) {
      onCall('before');
      const found = current(id, run);
      const count = tasks.length + links.length + droppedTasks.length + droppedLinks.length;
      if ((count > 0 || batch !== undefined) && found.source.state === 'importing') found.importGroup = found.nextGroup;
      const isChange = batch !== undefined || found.source.state === 'importing';
      if (isChange && (count > 0 || batch !== undefined)) found.source = { ...found.source, group: found.nextGroup };
      for (const task of tasks) put(found, `t${task.id}`, task);
      for (const link of links) put(found, `l${link.source}\n${link.target}`, link);
      for (const task of droppedTasks) put(found, `t${task}`, null);
      for (const link of droppedLinks) put(found, `l${link.source}\n${link.target}`, null);
      const key = `b${reversed(batch ?? '')}`;
      const known = found.rows.get(key)?.value;
      if (batch !== undefined) put(found, key, known ?? { id: batch, number: ++lastBatch });
      if (complete) found.source = { ...found.source, state: 'complete' };
      found.source = { ...found.source, rows: liveRows(found) };
      onCall('after');
    },
    async rows(id, after = '') {
      const { source, rows, nextGroup } = byId(id);
      const last = source.state === 'running' ? nextGroup : source.group;
      const keys = [...rows.keys()].filter((key) => key > after && rows.get(key)?.value !== null).sort();
      const page = keys.slice(0, PAGE);
      const valuesOf = (kind: string) => page.filter((key) => key.startsWith(kind)).map((key) => rows.get(key)?.value);
      const isLast = ({ id }: { readonly id: string }) => rows.get(`b${reversed(id)}`)?.group === last;
      const hasMore = keys.length > PAGE;
      return {
        ...answered,
        tasks: valuesOf('t') as ImportTask[],
        links: valuesOf('l') as ImportLink[],
        batches: (valuesOf('b') as ImportBatch[]).filter(isLast),
        hasMore,
        next: hasMore ? (page.at(-1) ?? null) : null,
      };
    },
    async revert(id, run) {
      onCall('before');
      const found = current(id, run);
      const { rows, source } = found;
      const changed = [...rows].filter(([, { group }]) => group === source.group).slice(0, PAGE);
      for (const [key, { former }] of changed)
        if (former === undefined || former === null) rows.delete(key);
        else rows.set(key, { value: former, group: 0 });
      const hasMore = changed.length === PAGE;
      if (!hasMore) found.undone = source.group;
      found.source = { ...source, rows: liveRows(found), ...(hasMore ? {} : { state: 'complete' }) };
      onCall('after');
      return { ...answered, hasMore };
    },
    async delete(id) {
      const found = byId(id);
      all.delete(found.source.name);
    },
  };
}
