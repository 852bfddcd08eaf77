// Shows groups in traces. Many commands share one transaction, so that its spans can hang below one
// of them alone; links lead to the others.
import { context, type Link, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Job } from './job.ts';

const tracer = trace.getTracer('taskgraph');

/**
 * Commits a group in a span. It hangs below the first command that is recorded, so that the trace
 * of a command that is alone in its group is whole. The group links to all its commands, and each
 * of the others to the group: so one finds from any of them what was done for it.
 */
export async function inGroupSpan<T>(jobs: readonly Job[], commit: () => Promise<T>): Promise<T> {
  const recorded = jobs.flatMap(({ context: origin }) => {
    const span = origin === undefined ? undefined : trace.getSpan(origin);
    return origin !== undefined && span?.isRecording() ? [{ origin, span }] : [];
  });
  const [first, ...others] = recorded;
  // The sender of the first command would otherwise be taken for what all of them belong to.
  if (first === undefined) return context.with(ROOT_CONTEXT, commit);
  const links: Link[] = recorded.map(({ span }) => ({ context: span.spanContext() }));
  const attributes = { 'taskgraph.group.commands': jobs.length };
  const group = tracer.startSpan('actor', { kind: SpanKind.INTERNAL, links, attributes }, first.origin);
  for (const { span } of others) span.addLink({ context: group.spanContext() });
  try {
    return await context.with(trace.setSpan(first.origin, group), commit);
  } catch (error) {
    group.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
    throw error;
  } finally {
    group.end();
  }
}

/** The trace of a group's first recorded command, for exemplars; null where none is recorded. */
export function recordedTraceOf(jobs: readonly Job[]): string | null {
  for (const { context: origin } of jobs) {
    const span = origin === undefined ? undefined : trace.getSpan(origin);
    if (span?.isRecording()) return span.spanContext().traceId;
  }
  return null;
}
