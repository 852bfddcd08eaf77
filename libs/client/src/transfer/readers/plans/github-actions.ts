// Reads the jobs of a workflow of GitHub Actions and their `needs`. Rules: IO2, IO9.
import { JOB_FIELDS, WORKFLOW_FIELDS } from '../../fields/plans/github-actions.ts';
import { reportFields } from '../../fields/source-field.ts';
import { addLink, blockingLink } from '../../graph/links.ts';
import { createLossReport } from '../../graph/loss-report.ts';
import { fitNode, type NodeDraft } from '../../graph/node-draft.ts';
import { BrokenFile, excerpt, type TransferGraph, type TransferLink } from '../../graph/transfer-graph.ts';
import { readYaml, type YamlDocument } from '../../text/yaml-document.ts';

const WORKFLOW_KEY = 'workflow';

/**
 * Reads a workflow. A job blocks the jobs that need it, and a workflow with a name is a task that
 * all jobs block. Throws a BrokenFile.
 */
export function readGithubActions(text: string): TransferGraph {
  const document = readYaml(text);
  const workflow = mapOf(document.value, 'the file', document);
  const jobs = mapOf(workflow.jobs, '"jobs"', document);
  const losses = createLossReport();
  const [drafts, links]: [NodeDraft[], TransferLink[]] = [[], []];
  const title = textOf(workflow.name, 'the name of the workflow');
  reportFields(workflow, WORKFLOW_FIELDS, 'the workflow', losses);
  for (const [id, value] of Object.entries(jobs)) {
    const job = mapOf(value, `the job ${excerpt(id)}`, document);
    const line = document.lineOf(value);
    const key = keyOf(id);
    const place = `${excerpt(id)} (line ${line})`;
    drafts.push({ key, line, title: textOf(job.name, 'the name of a job') || id });
    reportFields(job, JOB_FIELDS, place, losses);
    for (const needed of needsOf(job.needs, line)) {
      if (Object.hasOwn(jobs, needed)) addLink(links, blockingLink(keyOf(needed), key));
      else losses.note('a dependency on a job that is not in the file', `${excerpt(needed)} → ${place}`);
    }
    if (title !== '') addLink(links, blockingLink(key, WORKFLOW_KEY));
  }
  if (title !== '') drafts.push({ key: WORKFLOW_KEY, line: 1, title });
  return { nodes: drafts.map((draft) => fitNode(draft, losses)), links, leftOut: losses.list() };
}

function keyOf(id: string): string {
  return `job ${id}`;
}

function mapOf(value: unknown, what: string, document: YamlDocument): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new BrokenFile(document.lineOf(value), `${what} must be a map`);
}

/** A name may look like a number. */
function textOf(value: unknown, what: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return String(value);
  throw new BrokenFile(null, `${what} must be a text`);
}

/** One id, or a list of ids. */
function needsOf(needs: unknown, line: number | null): string[] {
  if (needs === undefined || needs === null) return [];
  const ids: unknown[] = Array.isArray(needs) ? needs : [needs];
  if (ids.every((id) => typeof id === 'string' || typeof id === 'number')) return ids.map(String);
  throw new BrokenFile(line, '"needs" must be the id of a job or a list of ids');
}
