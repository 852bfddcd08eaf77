// A plan in the form of PSPLIB: jobs with numbers, durations and successors, and one source and sink around them. Rule: IO2.
import { createLedger, placeOf, type TransferGraph, type Written } from '../model.ts';

const STARS = '*'.repeat(72);

export function writePsplib({ nodes, links }: TransferGraph): Written {
  const ledger = createLedger();
  // 1 is the super-source and the last one the super-sink, as all files of the collection have them.
  const number = new Map(nodes.map(({ key }, index) => [key, index + 2]));
  const sink = nodes.length + 2;
  const successors = new Map<number, number[]>(Array.from({ length: sink }, (_, index) => [index + 1, []]));
  const led = new Set<number>();
  for (const { source, target, type } of links) {
    const [from, to] = [number.get(source) ?? 0, number.get(target) ?? 0];
    if (type === 1) {
      ledger.note('a link that does not block', `job ${from} → job ${to}`);
      continue;
    }
    successors.get(from)?.push(to);
    led.add(to);
  }
  for (const [index, node] of nodes.entries()) {
    const job = index + 2;
    if (!led.has(job)) successors.get(1)?.push(job);
    if (successors.get(job)?.length === 0) successors.get(job)?.push(sink);
    ledger.note('all of a task but its volume and what it waits for', placeOf(node));
  }
  if (nodes.length === 0) successors.get(1)?.push(sink);
  const durations = [0, ...nodes.map(({ volume, status }) => (status === 3 ? 0 : volume)), 0];
  const column = (value: number | string, width = 5) => String(value).padStart(width);
  const relations = [...successors].map(([job, next]) =>
    [column(job), column(1), column(next.length), ...next.map((each) => column(each))].join('  '),
  );
  const text = [
    STARS,
    `jobs (incl. supersource/sink ):  ${sink}`,
    STARS,
    'PRECEDENCE RELATIONS:',
    'jobnr.    #modes  #successors   successors',
    ...relations,
    STARS,
    'REQUESTS/DURATIONS:',
    'jobnr. mode duration',
    '-'.repeat(72),
    ...durations.map((duration, index) => [column(index + 1), column(1), column(duration)].join('  ')),
    STARS,
    '',
  ].join('\n');
  return { text, leftOut: ledger.list() };
}
