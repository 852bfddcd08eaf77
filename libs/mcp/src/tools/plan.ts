// plan: the schedule of open work: critical path, ready nodes, late nodes, and the effect of a slip.
import { PLAN_UNITS } from '@taskgraph/wire/codes';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { choice, integer, object, text } from '../input-schema.ts';
import { fitting, moreLine, nodeLine, offsetOf } from '../lines.ts';
import { nameOf, readNodes } from '../nodes.ts';
import { resolveNode } from '../references.ts';
import { type ToolContext, ToolFailure } from '../service.ts';
import { BELOW, MORE, NODE, rootOf } from '../shared-arguments.ts';
import { dayText, momentText } from '../times.ts';
import { defineTool } from '../tool.ts';

/** Entries of all lists together on a page. */
const PAGE = 60;

interface PlanRequest {
  readonly below?: string;
  readonly start?: string;
  readonly unit?: string;
  readonly slip?: string;
  readonly slip_by?: number;
  readonly more?: string;
}

export const plan = defineTool<PlanRequest>({
  name: 'plan',
  description:
    'Plans open work by volume and links: length, critical path, what to start first and, with start and unit, what finishes late. With slip and slip_by: the effect of a node that takes longer.',
  effect: 'reads',
  input: object({
    below: BELOW,
    start: text('A day or time.'),
    unit: choice(PLAN_UNITS, 'Of volume.'),
    slip: NODE,
    slip_by: integer(1, 1_000_000),
    more: MORE,
  }),
  async run({ below, start, unit, slip, slip_by, more }, context) {
    if ((slip === undefined) !== (slip_by === undefined)) {
      throw new ToolFailure('bad_request.invalid_arguments', 'Give both "slip" and "slip_by", or neither.');
    }
    const slipped = slip === undefined ? undefined : `${await resolveNode(context, slip)}:${slip_by}`;
    const times = definedFields({ start: start === undefined ? undefined : startTime(start), unit, slip: slipped });
    const payload = context.withTimes('graph:plan', { ...(await rootOf(context, below)), ...times, limit: 1 });
    const answer = (await context.service.call('graph:plan', payload)) as unknown as PlanAnswer;
    return pageOfPlan(context, answer, offsetOf(more));
  },
});

/** A day means its beginning in UTC. */
function startTime(start: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(start) ? `${start}T00:00:00Z` : start;
}

interface LateNode {
  readonly id: string;
  readonly dueDate: string;
  readonly finish: string | null;
}

interface PlanAnswer {
  readonly makespan: number;
  readonly critical?: readonly string[];
  readonly ready?: readonly string[];
  readonly late?: readonly LateNode[];
  readonly slip?: {
    readonly makespan: { readonly before: number; readonly after: number };
    readonly late?: { readonly before: readonly LateNode[]; readonly after: readonly LateNode[] };
    readonly nodes: readonly { readonly id: string; readonly latestFinish: number; readonly earliestFinish: number }[];
  };
  readonly truncated?: true;
}

/** An entry of a list: its node, and the words after it. */
interface Entry {
  readonly list: string;
  readonly id: string;
  readonly words: string;
}

async function pageOfPlan(context: ToolContext, answer: PlanAnswer, from: number): Promise<string> {
  const entries = entriesOf(answer);
  const page = entries.slice(from, from + PAGE);
  const { nodes } = await readNodes(context.service, [...new Set(page.map(({ id }) => id))]);
  const lines = page.map(({ list, id, words }) => {
    const node = nodes.get(id);
    const line = node === undefined ? nameOf(id) : nodeLine(node, context.nowMs());
    return `${list}: ${line}${words}`;
  });
  const count = Math.max(1, fitting(lines));
  const next = from + Math.min(count, page.length);
  const { slip, truncated } = answer;
  const effect = slip === undefined ? [] : [`slip: length ${slip.makespan.before} → ${slip.makespan.after} units`];
  return [
    ...(from === 0 ? [`length: ${answer.makespan} units`, ...effect] : []),
    ...lines.slice(0, count),
    ...(truncated === true && next >= entries.length ? ['The lists are incomplete: there are more nodes.'] : []),
    ...moreLine(next < entries.length ? String(next) : null),
  ].join('\n');
}

function entriesOf({ critical = [], ready = [], late = [], slip }: PlanAnswer): Entry[] {
  const lateEntry =
    (list: string) =>
    ({ id, dueDate, finish }: LateNode) => ({
      list,
      id,
      words: ` would finish ${finish === null ? 'after the year 9999' : momentText(finish)}, due ${dayText(dueDate)}`,
    });
  const known = new Set(slip?.late?.before.map(({ id }) => id));
  return [
    ...critical.map((id) => ({ list: 'critical', id, words: '' })),
    ...ready.map((id) => ({ list: 'start', id, words: '' })),
    ...late.map(lateEntry('late')),
    ...(slip?.late?.after ?? []).filter(({ id }) => !known.has(id)).map(lateEntry('late by the slip')),
    ...(slip?.nodes ?? []).map(({ id, latestFinish, earliestFinish }) => ({
      list: 'moved by the slip',
      id,
      words: ` finishes at ${latestFinish} → ${earliestFinish}`,
    })),
  ];
}
