// Reads project plans in Patterson's form (`.rcp`, 1984): a list of numbers with the duration, the
// demands and the successors of each job. Rules: IO2, IO9, PLAN6.
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
  type TransferNode,
} from '../../graph/transfer-graph.ts';

const MAXIMUM_RESOURCES = 1_000;
/** Numbers of the demands of all jobs. */
const MAXIMUM_DEMANDS = 5_000_000;

/**
 * Reads a plan. A job becomes a task with its duration as volume, and blocks its successors. Throws
 * a BrokenFile.
 */
export function readPatterson(text: string): TransferGraph {
  const head = /\S[^\n]{0,200}/.exec(text)?.[0] ?? '';
  // Variants of the form with other kinds of resources have more numbers.
  if (head.trim().split(/\s+/).length !== 2)
    throw new BrokenFile(null, 'its first line must have the number of jobs and the number of resources');
  const numbers = createNumberReader(text);
  const jobs = numbers.next('the number of jobs', TRANSFER_BOUNDS.nodes);
  const resources = numbers.next('the number of resources', MAXIMUM_RESOURCES);
  if (jobs === 0) throw new BrokenFile(numbers.line(), 'it has no jobs');
  if (jobs * resources > MAXIMUM_DEMANDS)
    throw new BrokenFile(numbers.line(), `it has more than ${MAXIMUM_DEMANDS} demands on resources`);
  const losses = createLossReport();
  for (let index = 0; index < resources; index++) {
    if (numbers.next('the amount of a resource') > 0)
      losses.note('the amounts of resources', `resource ${index + 1} (line ${numbers.line()})`);
  }
  const nodes: TransferNode[] = [];
  const links: TransferLink[] = [];
  for (let job = 1; job <= jobs; job++) {
    const volume = numbers.next(`the duration of job ${job}`, WRITABLE_FIELDS.volume.most);
    const title = `Job ${job}`;
    const line = numbers.line();
    let demand = 0;
    for (let index = 0; index < resources; index++) demand += numbers.next(`a demand of job ${job}`);
    if (demand > 0) losses.note("a job's demands on resources", `${title} (line ${line})`);
    for (let left = numbers.next(`the number of successors of job ${job}`, jobs); left > 0; left--) {
      const successor = numbers.next(`a successor of job ${job}`);
      if (successor < 1 || successor > jobs)
        throw new BrokenFile(numbers.line(), `job ${job} has the successor ${successor}, which is not a job`);
      addLink(links, blockingLink(String(job), String(successor)));
    }
    nodes.push({ ...EMPTY_FIELDS, key: String(job), line, title, volume });
  }
  numbers.end();
  return { nodes, links, leftOut: losses.list() };
}

interface NumberReader {
  /** The next number. Throws a BrokenFile if there is none, or if it is above `most`. */
  next(what: string, most?: number): number;
  /** The line of the last number. */
  line(): number;
  /** Throws a BrokenFile if a number follows. */
  end(): void;
}

/** Line breaks have no meaning in the file: a job may take several lines. */
function createNumberReader(text: string): NumberReader {
  const pattern = /\n|[^\s\uFEFF]{1,41}/g;
  let line = 1;
  const nextWord = (): string | null => {
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      if (match[0] !== '\n') return match[0];
      line++;
    }
    return null;
  };
  return {
    next(what, most = 999_999_999) {
      const word = nextWord();
      if (word === null) throw new BrokenFile(line, `it ends before ${what}`);
      if (!/^\d{1,9}$/.test(word)) throw new BrokenFile(line, `${excerpt(word)} is not a number`);
      if (Number(word) > most) throw new BrokenFile(line, `${what} is above ${most}`);
      return Number(word);
    },
    line: () => line,
    end() {
      const word = nextWord();
      if (word !== null) throw new BrokenFile(line, `${excerpt(word)} follows the last job`);
    },
  };
}
