// Reads project plans of PSPLIB (Kolisch and Sprecher, 1997): the precedences and durations of a
// single-mode file (`.sm`), or of the first modes of a multi-mode file (`.mm`). Rules: IO2, IO9,
// PLAN6.
import { WRITABLE_FIELDS } from '../../../node-fields.ts';
import { addLink, blockingLink } from '../../graph/links.ts';
import { createLossReport } from '../../graph/loss-report.ts';
import {
  BrokenFile,
  EMPTY_FIELDS,
  excerpt,
  TRANSFER_BOUNDS,
  type TransferGraph,
  type TransferLink,
} from '../../graph/transfer-graph.ts';

interface NumberRow {
  readonly line: number;
  readonly numbers: readonly number[];
}

/** Each job has a line in two sections, and there are few other lines. */
const MAXIMUM_LINES = 4 * TRANSFER_BOUNDS.nodes;
/** Characters of a line, enough for a job that blocks all others. */
const MAXIMUM_LINE_LENGTH = 16 * TRANSFER_BOUNDS.nodes;

/**
 * Reads a plan. A job becomes a task with its duration as volume, and blocks its successors. Throws
 * a BrokenFile.
 */
export function readPsplib(text: string): TransferGraph {
  const lines = linesIn(text);
  const precedences = rowsOf(lines, 'PRECEDENCE RELATIONS');
  const modes = new Map(precedences.map(({ numbers: [job = 0, count = 1] }) => [job, count]));
  const jobs = new Set(modes.keys());
  const durations = durationsIn(lines, modes);
  if (jobs.size === 0) throw new BrokenFile(null, 'it has no jobs');
  const unknown = [...durations.keys()].find((job) => !jobs.has(job));
  if (unknown !== undefined) throw new BrokenFile(null, `job ${unknown} has a duration, but no precedences`);
  const links: TransferLink[] = [];
  const nodes = precedences.map(({ line, numbers: [job = 0, , count, ...successors] }) => {
    if (successors.length !== count)
      throw new BrokenFile(line, `job ${job} names ${successors.length} successors, not ${count}`);
    const volume = durations.get(job)?.duration;
    if (volume === undefined) throw new BrokenFile(line, `job ${job} has no duration`);
    for (const successor of successors) {
      if (!jobs.has(successor))
        throw new BrokenFile(line, `job ${job} has the successor ${successor}, which is not a job`);
      addLink(links, blockingLink(String(job), String(successor)));
    }
    return { ...EMPTY_FIELDS, key: String(job), line, title: `Job ${job}`, volume };
  });
  if (jobs.size !== nodes.length) throw new BrokenFile(null, 'two jobs have the same number');
  return { nodes, links, leftOut: lossesIn(lines, durations) };
}

/** The first mode of a job. */
interface Mode {
  readonly line: number;
  readonly duration: number;
  readonly demands: readonly number[];
  /** The number of the job's other modes. */
  readonly others: number;
}

/** The first mode of each job. The rows of further modes follow, with or without the job's number. */
function durationsIn(lines: readonly string[], modes: ReadonlyMap<number, number>): Map<number, Mode> {
  const durations = new Map<number, Mode>();
  let last = { job: 0, modes: 1, read: 1, length: 0 };
  for (const { line, numbers } of rowsOf(lines, 'REQUESTS/DURATIONS')) {
    if (last.read < last.modes) {
      readFurtherMode({ line, numbers }, last);
      last.read++;
      continue;
    }
    const [job = 0, mode, duration, ...demands] = numbers;
    if (duration === undefined) throw new BrokenFile(line, 'a row has no duration');
    if (mode !== 1 || durations.has(job))
      throw new BrokenFile(line, `job ${job} has more modes than its precedences say`);
    if (duration > WRITABLE_FIELDS.volume.most)
      throw new BrokenFile(line, `a duration is above ${WRITABLE_FIELDS.volume.most}`);
    last = { job, modes: modes.get(job) ?? 1, read: 1, length: numbers.length };
    durations.set(job, { line, duration, demands, others: Math.max(1, last.modes) - 1 });
  }
  if (last.read < last.modes) throw new BrokenFile(null, `job ${last.job} has ${last.read} modes, not ${last.modes}`);
  return durations;
}

/** Throws a BrokenFile unless the row is the next mode of the job. */
function readFurtherMode(
  { line, numbers }: NumberRow,
  { job, modes, read, length }: { job: number; modes: number; read: number; length: number },
): void {
  const own = numbers.length === length && numbers[0] === job ? numbers.slice(1) : numbers;
  if (own.length !== length - 1 || own[0] !== read + 1)
    throw new BrokenFile(line, `job ${job} has ${read} modes, not ${modes}`);
}

function linesIn(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split('\n', MAXIMUM_LINES + 1);
  if (lines.length > MAXIMUM_LINES) throw new BrokenFile(null, `it has more than ${MAXIMUM_LINES} lines`);
  const long = lines.findIndex(({ length }) => length > MAXIMUM_LINE_LENGTH);
  if (long >= 0) throw new BrokenFile(long + 1, `it has more than ${MAXIMUM_LINE_LENGTH} characters`);
  return lines;
}

/**
 * The rows of numbers in a section. Lines before the first row are heads; a line of asterisks ends
 * the section.
 */
function rowsOf(lines: readonly string[], section: string): NumberRow[] {
  const start = lines.findIndex((line) => line.startsWith(section));
  if (start < 0) throw new BrokenFile(null, `the section ${section} is missing`);
  const rows: NumberRow[] = [];
  for (let index = start + 1; index < lines.length && !lines[index]?.startsWith('***'); index++) {
    const words = (lines[index] ?? '').trim().split(/\s+/);
    const isHead = rows.length === 0 && !/\d/.test(words[0] ?? '');
    if (isHead || words[0] === '') continue;
    const wrong = words.find((word) => !/^\d{1,9}$/.test(word));
    if (wrong !== undefined) throw new BrokenFile(index + 1, `${excerpt(wrong)} is not a number`);
    rows.push({ line: index + 1, numbers: words.map(Number) });
  }
  return rows;
}

/** Sections that are not read, and the losses that they cause. */
const UNREAD_SECTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'PROJECT INFORMATION': "the project's release date, due date and cost of delay",
    RESOURCEAVAILABILITIES: 'the amounts of resources',
    RESOURCES: 'the amounts of resources',
  }),
);
const READ_SECTIONS = ['PRECEDENCE RELATIONS', 'REQUESTS/DURATIONS'] as const;
/** Lines of the head that add nothing: the number of jobs, and a single project. */
const IMPLIED_LINES = /^(jobs \(incl\.|projects\s*:\s*1$)/;

/** The sections and lines that are not read. A graph of tasks has no resources. */
function lossesIn(lines: readonly string[], modes: ReadonlyMap<number, Mode>): TransferGraph['leftOut'] {
  const losses = createLossReport();
  for (const [job, { line, demands, others }] of modes) {
    const place = `Job ${job} (line ${line})`;
    if (demands.some((demand) => demand > 0)) losses.note("a job's demands on resources", place);
    if (others > 0) losses.note('the modes of a job after the first', `${place}: ${others}`);
  }
  let section: string | null = null;
  for (const [index, text] of lines.entries()) {
    const line = text.trim();
    if (line.startsWith('***')) section = null;
    else if (section === null && line !== '') {
      section = sectionOf(line);
      const loss = section === null ? lineLoss(line) : sectionLoss(section);
      if (loss !== null) losses.noteOnce(loss, `line ${index + 1}`);
    }
  }
  return losses.list();
}

/** A section begins with its name in capitals, alone on a line. */
function sectionOf(line: string): string | null {
  const known = [...READ_SECTIONS, ...UNREAD_SECTIONS.keys()].find((name) => line.startsWith(name));
  return known ?? (/^[A-Z][A-Z/ ]*:?$/.test(line) ? line.replace(/:$/, '') : null);
}

function sectionLoss(section: string): string | null {
  if (READ_SECTIONS.some((name) => name === section)) return null;
  return UNREAD_SECTIONS.get(section) ?? `the section ${section.slice(0, 60)}`;
}

/** A line of the head has a name and a value. */
function lineLoss(line: string): string | null {
  if (IMPLIED_LINES.test(line)) return null;
  const [name = ''] = line.split(':');
  return `the line ${excerpt(name.trim())}`;
}
