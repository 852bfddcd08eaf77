// plan and apply: what comes first and how long all takes, and several operations of a file as one.
import { type Calls, momentText } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, Shared } from '../context.ts';
import { CliError } from '../failures.ts';
import type { Graph } from '../graph/graph.ts';
import { shortIdsOf } from '../graph/references.ts';
import { changeLines, statusText } from '../output/nodes.ts';
import { tableOf } from '../output/table.ts';
import { readText } from '../service/files.ts';
import { operationsIn, YAML_BYTES } from '../service/operations.ts';
import { startFlag } from '../service/times.ts';

type Plan = Calls['graph:plan']['answer'];
type Planned = Plan['nodes'][number];

interface PlanFlags {
  readonly start?: string;
  readonly unit?: string;
  readonly slip?: string;
}

const UNITS = ['minute', 'hour', 'day', 'week'] as const;
/** Lines of a list; `--json` has all. */
const MOST_LISTED = 40;

export function addPlanningCommands(program: Command, context: Context, shared: () => Shared): void {
  program
    .command('plan')
    .description('plan tasks: total duration, critical path, ready and late tasks')
    .argument('[node...]', 'a node, to plan only its branch')
    .option('--start <time>', 'the start, such as 2026-12-24, to get dates; needs --unit')
    .option('--unit <unit>', `what a unit of volume is: ${UNITS.join(', ')}; with --start`)
    .option('--slip <node:by>', 'show the effect if a node takes this many units longer')
    .action(async (words: string[], flags: PlanFlags) => {
      const { payload, inDays } = await payloadOf(context, words, flags);
      const plan = await wholePlan(context, payload);
      const graph = await context.graph();
      context.show(shared(), plan, () => planLines(plan, { graph, inDays }, context));
    });
  program
    .command('apply')
    .description('execute the operations of a YAML file, all or none')
    .argument('<file>', 'the file, with at most 500 operations')
    .option('--dry-run', 'only report the effect, and who would gain or lose sight')
    .option('--key <key>', 'an idempotency key: with the same key and file you get the first answer again')
    .action(async (path: string, { dryRun, key }: { dryRun?: boolean; key?: string }) => {
      const { text } = await readText(path, YAML_BYTES);
      const operations = await operationsIn(text, path, async (words) => (await context.node(words)).id);
      const options = {
        ...(dryRun ? { dryRun } : {}),
        ...(key === undefined ? {} : { idempotencyKey: key }),
        timeoutMs: 120_000,
      };
      const { diff, results, sight } = (await context.caller.call('batch:run', { operations }, options)) as Ran;
      const graph = await context.known();
      const names = Object.fromEntries(
        operations.flatMap(({ as }, index) => (as === undefined ? [] : [[as, results[index]]])),
      );
      context.show(shared(), { diff, results, names, ...(dryRun ? { dryRun, sight } : {}) }, () => [
        ...changeLines({ ...diff, access: diff.access ?? [] }, graph, context.output),
        ...sightLines(sight),
        ...(dryRun ? [context.output.paint.dim('Nothing was done.')] : []),
      ]);
    });
}

type Sight = { readonly gained: readonly string[]; readonly lost: readonly string[]; readonly truncated?: true };
type Ran = Calls['batch:run']['answer'] & { readonly sight?: Sight };

function sightLines(sight: Sight | undefined): string[] {
  if (sight === undefined) return [];
  const more = sight.truncated ? ' and more' : '';
  return [
    ...(sight.gained.length === 0 ? [] : [`would see more: ${sight.gained.join(', ')}${more}`]),
    ...(sight.lost.length === 0 ? [] : [`would see less: ${sight.lost.join(', ')}${more}`]),
  ];
}

async function payloadOf(
  context: Context,
  words: readonly string[],
  flags: PlanFlags,
): Promise<{ payload: Calls['graph:plan']['payload']; inDays: boolean }> {
  const { start, unit, slip } = flags;
  if ((start === undefined) !== (unit === undefined)) {
    throw new CliError('usage', 'Dates need both --start and --unit.', 'Such as --start 2026-12-24 --unit day.');
  }
  const known = UNITS.find((each) => each === unit);
  if (unit !== undefined && known === undefined)
    throw new CliError('usage', `There is no unit ${unit}.`, `It is one of ${UNITS.join(', ')}.`);
  const root = words.length === 0 ? undefined : (await context.node(words.join(' '))).id;
  const begins = start === undefined || known === undefined ? undefined : startFlag(start, known);
  const payload = {
    ...{ root, start: begins?.start, unit: known },
    slip: slip === undefined ? undefined : await slipOf(context, slip),
  };
  return { payload, inDays: begins?.inDays ?? false };
}

/** A title may hold a colon: what stands after the last one is the number. */
async function slipOf(context: Context, text: string): Promise<string> {
  const [, words = '', by = ''] = /^([\s\S]*):(\d{1,7})$/.exec(text) ?? [];
  if (words === '')
    throw new CliError('usage', `${text} is no slip.`, 'Write it as NODE:BY, such as --slip go-live:3.');
  return `${(await context.node(words)).id}:${by}`;
}

/** The first page has the lists; the others have the times of further nodes. */
async function wholePlan(
  context: Context,
  payload: Calls['graph:plan']['payload'],
): Promise<Omit<Plan, 'hasMore' | 'next' | 'trace_id'>> {
  const { hasMore, next, trace_id: _, ...plan } = await context.call('graph:plan', { ...payload, limit: 5_000 });
  const nodes: Planned[] = [...plan.nodes];
  for (let after = hasMore ? next : null; after !== null; ) {
    const page = await context.call('graph:plan', { ...payload, limit: 5_000, after });
    nodes.push(...page.nodes);
    after = page.hasMore ? page.next : null;
  }
  return { ...plan, nodes };
}

type WholePlan = Awaited<ReturnType<typeof wholePlan>>;

interface PlanView {
  readonly graph: Graph;
  /** Whether the plan's dates are whole days. */
  readonly inDays: boolean;
}

function planLines(plan: WholePlan, { graph, inDays }: PlanView, { output }: Context): string[] {
  const { paint, columns } = output;
  const planned = new Map(plan.nodes.map((node) => [node.id, node]));
  const shortId = shortIdsOf(graph.nodes.values());
  const rowOf = (id: string): string[] => {
    const [node, times] = [graph.nodes.get(id), planned.get(id)];
    return [
      paint.cyan(shortId(id)),
      unitWithDate(times?.earliestStart, times?.startDate, inDays ? startDay : momentText),
      unitWithDate(times?.earliestFinish, times?.finishDate, inDays ? finishDay(times?.startDate) : momentText),
      String(times?.slack ?? ''),
      node === undefined ? '' : statusText(node.status, paint),
      node?.title ?? '',
    ];
  };
  const heads = ['id', 'start', 'finish', 'slack', 'status', 'title'];
  const section = (title: string, ids: readonly string[], none: string) => [
    '',
    paint.bold(title),
    ...(ids.length === 0
      ? [paint.dim(none)]
      : tableOf(ids.slice(0, MOST_LISTED).map(rowOf), { heads, columns, paintHead: paint.dim })),
    ...(ids.length > MOST_LISTED ? [paint.dim(`and ${ids.length - MOST_LISTED} more (--json lists all)`)] : []),
  ];
  const late =
    plan.late === undefined
      ? []
      : section(
          `late (${plan.late.length})`,
          plan.late.map(({ id }) => id),
          'Nothing comes late.',
        );
  return [
    `makespan ${paint.bold(String(plan.makespan))}, ${plan.nodes.length} nodes${plan.truncated ? ', lists are cut' : ''}`,
    ...slipLines(plan, graph, output.paint),
    ...section('critical path', plan.critical ?? [], 'Nothing is left to do.'),
    ...section('ready', plan.ready ?? [], 'Nothing can be begun now.'),
    ...late,
  ];
}

function unitWithDate(
  unit: number | undefined,
  date: string | null | undefined,
  text: (date: string) => string,
): string {
  return date === undefined || date === null ? String(unit ?? '') : `${unit} (${text(date)})`;
}

function startDay(date: string): string {
  return date.slice(0, 10);
}

/** The last day that is worked on: a plan tells the moment when it is over. Nothing takes less than the day on which it begins. */
function finishDay(start: string | null | undefined): (date: string) => string {
  return (date) => {
    const last = new Date(Date.parse(date) - 1).toISOString();
    return startDay(start && last < start ? start : last);
  };
}

function slipLines({ slip }: WholePlan, graph: Graph, { yellow }: Context['output']['paint']): string[] {
  if (slip === undefined) return [];
  const { makespan, nodes, late } = slip;
  const moved = nodes.map(
    ({ id, latestFinish, earliestFinish }) =>
      `  ${graph.nodes.get(id)?.title ?? id}: ${latestFinish} → ${earliestFinish}`,
  );
  const more = nodes.length > MOST_LISTED ? [`  and ${nodes.length - MOST_LISTED} more`] : [];
  const newly = late === undefined ? [] : [`late: ${late.before.length} → ${late.after.length}`];
  return [
    yellow(`with the slip: makespan ${makespan.before} → ${makespan.after}`),
    ...newly,
    ...moved.slice(0, MOST_LISTED),
    ...more,
  ];
}
