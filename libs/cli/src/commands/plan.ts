// plan and apply: the plan of the graph, and a batch of operations from a file.
import { type Calls, momentText } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import type { Graph } from '../graph/graph.ts';
import { shortIdsOf } from '../graph/references.ts';
import { changeLines, statusText } from '../output/nodes.ts';
import { tableOf } from '../output/table.ts';
import { readText } from '../service/files.ts';
import { parseOperationFile, YAML_BYTES } from '../service/operation-file.ts';
import { startFlag } from '../service/times.ts';

type Plan = Calls['graph:plan']['answer'];
type PlannedNode = Plan['nodes'][number];

interface PlanFlags {
  readonly start?: string;
  readonly unit?: string;
  readonly slip?: string;
}

const UNITS = ['minute', 'hour', 'day', 'week'] as const;
/** Lines of a list; `--json` lists everything. */
const MAXIMUM_LISTED = 40;

export function addPlanCommands(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  program
    .command('plan')
    .description('plan tasks: total duration, critical path, ready and late tasks')
    .argument('[node...]', 'a node, to plan only its branch')
    .option('--start <time>', 'the start, such as 2026-12-24, to get dates; needs --unit')
    .option('--unit <unit>', `the unit of volume: ${UNITS.join(', ')}; with --start`)
    .option('--slip <node:by>', 'show the effect if a node takes this many units longer')
    .action(async (words: string[], flags: PlanFlags) => {
      const { payload, inDays } = await payloadOf(context, words, flags);
      const plan = await fetchPlan(context, payload);
      const graph = await context.graph();
      context.show(globalOptions(), plan, () => planLines(plan, { graph, inDays }, context));
    });
  program
    .command('apply')
    .description('execute the operations of a YAML file, all or none')
    .argument('<file>', 'the file, with at most 500 operations')
    .option('--dry-run', 'only report the effect, and who would gain or lose sight')
    .option('--key <key>', 'an idempotency key: with the same key and file you get the first answer again')
    .action(async (path: string, { dryRun, key }: { dryRun?: boolean; key?: string }) => {
      const { text } = await readText(path, YAML_BYTES);
      const operations = await parseOperationFile(text, path, async (words) => (await context.node(words)).id);
      const options = {
        ...(dryRun ? { dryRun } : {}),
        ...(key === undefined ? {} : { idempotencyKey: key }),
        timeoutMs: 120_000,
      };
      const { diff, results, sight } = (await context.caller.call('batch:run', { operations }, options)) as BatchAnswer;
      const graph = await context.localGraph();
      const names = Object.fromEntries(
        operations.flatMap(({ as }, index) => (as === undefined ? [] : [[as, results[index]]])),
      );
      context.show(globalOptions(), { diff, results, names, ...(dryRun ? { dryRun, sight } : {}) }, () => [
        ...changeLines({ ...diff, access: diff.access ?? [] }, graph, context.output),
        ...visibilityLines(sight),
        ...(dryRun ? [context.output.paint.dim('Nothing was changed.')] : []),
      ]);
    });
}

/** The users who would see more or less. */
type VisibilityPreview = {
  readonly gained: readonly string[];
  readonly lost: readonly string[];
  readonly truncated?: true;
};
type BatchAnswer = Calls['batch:run']['answer'] & { readonly sight?: VisibilityPreview };

function visibilityLines(sight: VisibilityPreview | undefined): string[] {
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
    throw new CliError('usage', 'Dates need both --start and --unit.', 'For example: --start 2026-12-24 --unit day');
  }
  const validUnit = UNITS.find((each) => each === unit);
  if (unit !== undefined && validUnit === undefined)
    throw new CliError('usage', `There is no unit ${unit}.`, `It is one of ${UNITS.join(', ')}.`);
  const root = words.length === 0 ? undefined : (await context.node(words.join(' '))).id;
  const planStart = start === undefined || validUnit === undefined ? undefined : startFlag(start, validUnit);
  const payload = {
    root,
    start: planStart?.start,
    unit: validUnit,
    slip: slip === undefined ? undefined : await slipOf(context, slip),
  };
  return { payload, inDays: planStart?.inDays ?? false };
}

/** A title may contain colons, so the number follows the last one. */
async function slipOf(context: Context, text: string): Promise<string> {
  const [, words = '', by = ''] = /^([\s\S]*):(\d{1,7})$/.exec(text) ?? [];
  if (words === '')
    throw new CliError('usage', `${text} is not a valid slip.`, 'Write it as NODE:BY, such as --slip go-live:3.');
  return `${(await context.node(words)).id}:${by}`;
}

/** Reads all pages. The first has the lists; the others add the times of more nodes. */
async function fetchPlan(
  context: Context,
  payload: Calls['graph:plan']['payload'],
): Promise<Omit<Plan, 'hasMore' | 'next' | 'trace_id'>> {
  const { hasMore, next, trace_id: _, ...plan } = await context.call('graph:plan', { ...payload, limit: 5_000 });
  const nodes: PlannedNode[] = [...plan.nodes];
  for (let after = hasMore ? next : null; after !== null; ) {
    const page = await context.call('graph:plan', { ...payload, limit: 5_000, after });
    nodes.push(...page.nodes);
    after = page.hasMore ? page.next : null;
  }
  return { ...plan, nodes };
}

type CompletePlan = Awaited<ReturnType<typeof fetchPlan>>;

interface PlanView {
  readonly graph: Graph;
  /** Whether the plan's dates are whole days. */
  readonly inDays: boolean;
}

function planLines(plan: CompletePlan, { graph, inDays }: PlanView, { output }: Context): string[] {
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
      : tableOf(ids.slice(0, MAXIMUM_LISTED).map(rowOf), { heads, columns, paintHead: paint.dim })),
    ...(ids.length > MAXIMUM_LISTED ? [paint.dim(`and ${ids.length - MAXIMUM_LISTED} more (--json lists all)`)] : []),
  ];
  const late =
    plan.late === undefined
      ? []
      : section(
          `late (${plan.late.length})`,
          plan.late.map(({ id }) => id),
          'No task is late.',
        );
  return [
    `makespan ${paint.bold(String(plan.makespan))}, ${plan.nodes.length} nodes${plan.truncated ? ', lists are shortened' : ''}`,
    ...slipLines(plan, graph, output.paint),
    ...section('critical path', plan.critical ?? [], 'Nothing is left to do.'),
    ...section('ready', plan.ready ?? [], 'No task can begin now.'),
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

/** The last day of work: the plan has the moment after it. It is never before the first day. */
function finishDay(start: string | null | undefined): (date: string) => string {
  return (date) => {
    const last = new Date(Date.parse(date) - 1).toISOString();
    return startDay(start && last < start ? start : last);
  };
}

function slipLines({ slip }: CompletePlan, graph: Graph, { yellow }: Context['output']['paint']): string[] {
  if (slip === undefined) return [];
  const { makespan, nodes, late } = slip;
  const delayed = nodes.map(
    ({ id, latestFinish, earliestFinish }) =>
      `  ${graph.nodes.get(id)?.title ?? id}: ${latestFinish} → ${earliestFinish}`,
  );
  const more = nodes.length > MAXIMUM_LISTED ? [`  and ${nodes.length - MAXIMUM_LISTED} more`] : [];
  const lateNodes = late === undefined ? [] : [`late: ${late.before.length} → ${late.after.length}`];
  return [
    yellow(`with the slip: makespan ${makespan.before} → ${makespan.after}`),
    ...lateNodes,
    ...delayed.slice(0, MAXIMUM_LISTED),
    ...more,
  ];
}
