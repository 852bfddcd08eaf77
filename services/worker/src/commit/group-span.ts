// Spans of groups. The spans of a shared transaction have one parent, the first recorded command;
// links connect the others.
import { context, type Link, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Job } from './job.ts';

const tracer = trace.getTracer('taskgraph');

/**
 * Commits a group in a span below its first recorded command, so that the trace of a single command
 * is complete. The group links to all its commands, and every other command links to the group.
 */
export async function inGroupSpan<T>(jobs: readonly Job[], commit: () => Promise<T>): Promise<T> {
  const recorded = jobs.flatMap(({ context: origin }) => {
    const span = origin === undefined ? undefined : trace.getSpan(origin);
    return origin !== undefined && span?.isRecording() ? [{ origin, span }] : [];
  });
  const [first, ...others] = recorded;
  // Without a recorded command the group must not inherit the span of whichever caller is active.
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

/** The trace of a group's first recorded command, for exemplars; null if none is recorded. */
export function recordedTraceOf(jobs: readonly Job[]): string | null {
  for (const { context: origin } of jobs) {
    const span = origin === undefined ? undefined : trace.getSpan(origin);
    if (span?.isRecording()) return span.spanContext().traceId;
  }
  return null;
}
