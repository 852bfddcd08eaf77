// Records a span for each statement sent within a trace.
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

const tracer = trace.getTracer('taskgraph');

/** Maximum characters of a summary. */
const LONGEST_SUMMARY = 200;

/**
 * Sends a statement, within a span if a trace is active; otherwise at almost no cost. `name` is the
 * constant's name; without one the span shows clauses and labels. Parameters are never recorded.
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
  // Backtracks: within a bound, statements are constants.
  const labels = [...cypher.matchAll(/[(\]]\w*:([A-Z]\w*)/g)].map(([, label]) => label);
  return [...new Set([...clauses, ...labels])].join(' ').slice(0, LONGEST_SUMMARY) || 'CYPHER';
}
