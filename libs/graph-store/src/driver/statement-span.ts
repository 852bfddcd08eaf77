// Shows statements in traces: a span for each that is sent as part of something that is traced.
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

const tracer = trace.getTracer('taskgraph');

/** Characters of a summary. */
const LONGEST_SUMMARY = 200;

/**
 * Sends a statement, in a span of its own where one is active: what nobody traces costs a look and no more. `name` is that of the constant;
 * without one the span says what the statement does, and to which labels. Parameters are never shown.
 */
export async function inStatementSpan<T>(cypher: string, name: string | undefined, send: () => Promise<T>): Promise<T> {
  if (trace.getActiveSpan() === undefined) return send();
  const summary = name ?? summaryOf(cypher);
  const attributes = { 'db.system.name': 'neo4j', 'db.query.summary': summary };
  const span = tracer.startSpan(summary, { kind: SpanKind.CLIENT, attributes });
  try {
    return await send();
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
    throw error;
  } finally {
    span.end();
  }
}

/** The clauses and labels of a statement, each once: `MATCH SET User`. */
export function summaryOf(cypher: string): string {
  const clauses = cypher.match(/\b(MATCH|CREATE|MERGE|SET|DELETE|REMOVE|SHOW)\b/g) ?? [];
  // Backtracks: statements are constants of ours.
  const labels = [...cypher.matchAll(/[(\]]\w*:([A-Z]\w*)/g)].map(([, label]) => label);
  return [...new Set([...clauses, ...labels])].join(' ').slice(0, LONGEST_SUMMARY) || 'CYPHER';
}
