// Random edits of a file and of the graph by a person, merged by an update, against a simple oracle.
import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ModelService } from '../../test/support/model-caller.ts';
import { openUpdateService } from '../../test/support/update-service.ts';
import { orderGraph } from '../graph/graph-order.ts';
import { EMPTY_FIELDS, type TransferGraph, type TransferNode } from '../graph/transfer-graph.ts';
import { runImport } from '../import/import-run.ts';
import type { UpdateKind } from './update-report.ts';
import { runUpdate, type UpdateReport } from './update-run.ts';
import { undoUpdate } from './update-undo.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
type Name = (typeof NAMES)[number];
const FORMAT = 'beads';
const SOURCE = 'beads issues.jsonl';

interface Values {
  readonly priority: number;
  readonly status: 0 | 1 | 3;
  readonly tags: readonly string[];
  readonly independent: boolean;
}
/** The tasks and links of a file. The title of a task is its name, by which the tests find its node. */
interface File {
  readonly tasks: Partial<Record<Name, Values>>;
  readonly links: readonly string[];
}

const values = fc.record({
  priority: fc.nat(2),
  status: fc.constantFrom(0 as const, 1 as const, 3 as const),
  tags: fc.subarray(['x', 'y']),
  independent: fc.boolean(),
});
const links = fc.uniqueArray(
  fc
    .tuple(fc.nat(5), fc.nat(5))
    .filter(([one, other]) => one < other)
    .map(([one, other]) => `${NAMES[one]}${NAMES[other]}`),
  { maxLength: 5 },
);
const file: fc.Arbitrary<File> = fc.record({
  tasks: fc.record(Object.fromEntries(NAMES.map((name) => [name, values])) as Record<Name, typeof values>, {
    requiredKeys: [],
  }),
  links,
});
const edits = fc.record({
  changed: fc.record(Object.fromEntries(NAMES.map((name) => [name, values])) as Record<Name, typeof values>, {
    requiredKeys: [],
  }),
  trashed: fc.subarray([...NAMES], { maxLength: 2 }),
  unlinked: links,
});
const scenario = fc.record({
  before: file,
  after: file,
  edits,
  remove: fc.boolean(),
  overwrite: fc.boolean(),
  breaks: fc.option(fc.record({ at: fc.integer({ min: 1, max: 8 }), when: fc.constantFrom('before', 'after') })),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer S> ? S : never;

function graphOf({ tasks, links: pairs }: File): TransferGraph {
  const nodes = Object.entries(tasks).map(
    ([name, fields], index): TransferNode => ({ ...EMPTY_FIELDS, ...fields, key: name, line: index + 1, title: name }),
  );
  const names = new Set(nodes.map(({ key }) => key));
  return orderGraph({
    nodes,
    links: pairs.flatMap(([source = '', target = '']) =>
      names.has(source) && names.has(target) ? [{ source, target, type: 0 as const, private: false }] : [],
    ),
    leftOut: [],
  });
}

type Shown = { readonly id: string; readonly title: string; readonly version: number } & Values;

/** The active nodes by their titles. Fails if a task was created twice. */
function nodesOf(service: ModelService): Map<string, Shown> {
  const nodes = [...service.content().nodes] as unknown as Shown[];
  const byTitle = new Map(nodes.map((node) => [node.title, node]));
  expect(byTitle.size).toBe(nodes.length);
  return byTitle;
}

function linksOf(service: ModelService): Set<string> {
  const titles = new Map([...nodesOf(service)].map(([title, { id }]) => [id, title]));
  return new Set(
    [...service.content().links].map(({ source, target }) => `${titles.get(source)}${titles.get(target)}`),
  );
}

/** Everything that a reader sees, without the versions and times that each change raises. */
function shown(service: ModelService, hidden: ReadonlySet<string> = new Set()): unknown {
  const nodes = [...nodesOf(service).values()].map(({ title, priority, status, tags, independent }) => [
    title,
    priority,
    hidden.has(title) ? null : status,
    tags,
    independent,
  ]);
  return [nodes.sort(), [...linksOf(service)].sort()];
}

async function edit(
  { service, caller }: ReturnType<typeof openUpdateService>,
  { changed, trashed: gone, unlinked }: Scenario['edits'],
) {
  const ids = new Map([...nodesOf(service)].map(([title, { id }]) => [title, id]));
  const titles = new Map([...ids].map(([title, id]) => [id, title]));
  for (const [name, { status, ...fields }] of Object.entries(changed)) {
    const id = ids.get(name);
    if (id === undefined) continue;
    await caller.call('node:update', { id, ...fields });
    await caller.call('node:update', { id, status }).catch(() => undefined);
  }
  for (const { id, source, target } of [...service.content().links])
    if (unlinked.includes(`${titles.get(source)}${titles.get(target)}`)) await caller.call('link:trash', { id });
  for (const name of gone) if (ids.has(name)) await caller.call('node:trash', { id: String(ids.get(name)) });
}

const placesOf = ({ entries }: UpdateReport, kind: UpdateKind) =>
  entries.find((each) => each.kind === kind)?.places ?? [];
const equal = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

async function updateOf({ caller, sources }: ReturnType<typeof openUpdateService>, drawn: Scenario, more: object = {}) {
  const { remove, overwrite, after } = drawn;
  const choices = { remove, overwrite, acceptMismatch: true };
  const options = { source: SOURCE, format: FORMAT, ...choices, calls: sources, ...more };
  return runUpdate(caller, graphOf(after), options);
}

/** Compares the graph after an update with the file, the graph before it, and the earlier file. */
function checkMerge(drawn: Scenario, report: UpdateReport, was: Map<string, Shown>, service: ModelService) {
  const { before, after, remove, overwrite } = drawn;
  const now = nodesOf(service);
  const mentions = (kinds: readonly UpdateKind[], name: string, field: string) =>
    kinds.some((kind) =>
      placesOf(report, kind).some((place) => place.startsWith(`"${name}"`) && place.includes(`: ${field}`)),
    );
  for (const name of NAMES) {
    const [base, wanted, person, result] = [before.tasks[name], after.tasks[name], was.get(name), now.get(name)];
    const isTrashed = base !== undefined && person === undefined;
    if (base === undefined) expect(result === undefined).toBe(wanted === undefined);
    if (isTrashed) {
      expect(result).toBeUndefined();
      expect(placesOf(report, 'in_trash').some((place) => place.startsWith(`"${name}"`))).toBe(wanted !== undefined);
    }
    if (base === undefined || person === undefined) continue;
    if (wanted === undefined) {
      const isSame = equal(
        [person.priority, person.tags, person.independent],
        [base.priority, base.tags, base.independent],
      );
      if (remove !== true) expect(placesOf(report, 'gone_task')).toContain(`"${name}"`);
      if (result === undefined) expect(remove === true && (isSame || overwrite)).toBe(true);
      else
        expect(remove !== true || placesOf(report, 'conflict').some((place) => place.startsWith(`"${name}"`))).toBe(
          true,
        );
      continue;
    }
    for (const field of ['priority', 'tags', 'independent'] as const) {
      const isConflict =
        !equal(wanted[field], base[field]) &&
        !equal(person[field], base[field]) &&
        !equal(person[field], wanted[field]);
      const expected = equal(wanted[field], base[field]) || (isConflict && !overwrite) ? person[field] : wanted[field];
      expect(result?.[field]).toEqual(expected);
      expect(mentions(['conflict'], name, field)).toBe(isConflict && !overwrite);
      expect(mentions(['overwritten'], name, field)).toBe(isConflict && overwrite);
    }
    // A status that is not the file's is one of a person, follows from the links, or is reported.
    if (
      result !== undefined &&
      Number(result.status) !== 2 &&
      wanted.status !== base.status &&
      result.status !== wanted.status
    )
      expect(mentions(['conflict', 'blocked', 'refused'], name, 'status')).toBe(true);
  }
}

const OPTIONS = { numRuns: runs(100) };

/**
 * Whether a task becomes independent in the update that gives it another blocker: the link comes first (LNK3)
 * and reopens it if it was Completed (BLK3).
 */
function hasReopenedTask({ before, after }: Scenario): boolean {
  return after.links.some(
    (link) =>
      !before.links.includes(link) &&
      (after.tasks as Record<string, { independent: boolean }>)[link[1] ?? '']?.independent === true &&
      link[1] !== undefined &&
      link[1] in before.tasks,
  );
}

test('[IO12] an update merges edits of a file and of persons, and reports all that it leaves', async () => {
  const property = fc.asyncProperty(scenario, async (drawn) => {
    fc.pre(!hasReopenedTask(drawn));
    const stack = openUpdateService();
    const { service, sources, caller } = stack;
    const source = { calls: sources, name: SOURCE };
    await runImport(caller, graphOf(drawn.before), { file: 'first', format: FORMAT, source });
    await edit(stack, drawn.edits);
    const was = nodesOf(service);
    const linksBefore = linksOf(service);
    const told = await updateOf(stack, drawn, { dryRun: true });
    expect(nodesOf(service)).toEqual(was);
    let report: UpdateReport | null = null;
    const breaks = drawn.breaks;
    if (breaks === null) report = await updateOf(stack, drawn);
    else {
      stack.breakAt(breaks.at, breaks.when as 'before');
      await updateOf(stack, drawn).catch((error: unknown) =>
        expect(error).toMatchObject({ code: 'client.disconnected' }),
      );
      stack.mend();
      const rest = await updateOf(stack, drawn);
      checkLinks(drawn, rest, linksBefore, service);
      expect((await updateOf(stack, drawn)).changes).toBe(0);
      return;
    }
    checkMerge(drawn, report, was, service);
    checkLinks(drawn, report, linksBefore, service);
    for (const kind of ['created', 'linked', 'trashed', 'unlinked'] as const)
      expect(placesOf(report, kind)).toEqual(placesOf(told, kind));
    expect((await updateOf(stack, drawn)).changes).toBe(0);
  });
  await fc.assert(property, OPTIONS);
});

function checkLinks(drawn: Scenario, report: UpdateReport, was: ReadonlySet<string>, service: ModelService) {
  const now = linksOf(service);
  const nodes = nodesOf(service);
  const inFile = (each: File) => new Set(graphOf(each).links.map(({ source, target }) => `${source}${target}`));
  const [base, wanted] = [inFile(drawn.before), inFile(drawn.after)];
  const named = (kind: UpdateKind, [source, target]: string) =>
    placesOf(report, kind).some((place) => place.startsWith(`"${source}"`) && place.includes(`→ "${target}"`));
  for (const link of new Set([...base, ...wanted, ...was])) {
    if (!nodes.has(link[0] ?? '') || !nodes.has(link[1] ?? '')) continue;
    if (wanted.has(link) && !base.has(link)) expect(now.has(link)).toBe(true);
    // A person removed it.
    if (wanted.has(link) && base.has(link) && !was.has(link)) {
      expect(now.has(link)).toBe(false);
      expect(named('removed_link', link)).toBe(true);
    }
    if (wanted.has(link) && was.has(link)) expect(now.has(link)).toBe(true);
  }
}

test('[IO12 IO4] an undo of an update gives the graph back, and the update can be made again', async () => {
  const property = fc.asyncProperty(scenario, async (drawn) => {
    fc.pre(!hasReopenedTask(drawn));
    const stack = openUpdateService();
    const { service, sources, caller } = stack;
    const source = { calls: sources, name: SOURCE };
    await runImport(caller, graphOf(drawn.before), { file: 'first', format: FORMAT, source });
    await edit(stack, drawn.edits);
    // A new blocker reopens a Completed task that becomes independent for good, whatever is undone (BLK3).
    const independent = Object.entries(drawn.after.tasks).filter(([, each]) => each.independent);
    const hidden = new Set(independent.map(([name]) => name));
    const was = shown(service, hidden);
    const report = await updateOf(stack, drawn);
    const now = shown(service);
    // An update without changes is not the one that is undone.
    expect((await updateOf(stack, drawn)).changes).toBe(0);
    if (report.batches.length === 0) return;
    expect(await undoUpdate(caller, { source: SOURCE, calls: sources })).toEqual({
      parts: report.batches.length,
      before: 0,
      interrupted: false,
    });
    expect(shown(service, hidden)).toEqual(was);
    // An undo returns a link to an independent task as one that does not block (LNK3), like a person's change.
    if ([...nodesOf(service).values()].some(({ independent }) => independent)) return;
    await updateOf(stack, drawn);
    expect(shown(service)).toEqual(now);
  });
  await fc.assert(property, OPTIONS);
});
