// The structured log of a service: one JSON object on each line, without secrets.
import { trace } from '@opentelemetry/api';
import { escapedLine } from '@taskgraph/wire/control-characters';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

export type Log = Logger;

/** Names of fields and headers that hold secrets. */
const SECRET_FIELDS = [
  'authorization',
  'Authorization',
  'cookie',
  'Cookie',
  'set-cookie',
  'Set-Cookie',
  'sec-websocket-protocol',
  'token',
  'session',
  'plaintext',
  'api_token',
  'public_token',
  'publicToken',
  'hash',
  'secret',
  'password',
  'passwordHash',
  'current',
  'clientSecret',
  'verifier',
  'nonce',
  'ticket',
  'proof',
  'salt',
];

// Redaction covers fixed depths, which costs nothing for deep objects; no log call nests deeper
// than a request's headers.
const REDACTED_PATHS = SECRET_FIELDS.map((field) => `["${field}"]`).flatMap((field) => [
  field,
  `*${field}`,
  `*.*${field}`,
]);

/**
 * Creates the log of a service.
 *
 * `name` is on every line. `level` is `trace` to `fatal`, or `silent`. Log errors under the key
 * `error`; they are written with their stacks. Lines written in a span carry `traceId` and
 * `spanId`. `destination` defaults to standard output.
 */
export function createLog(options: { name: string; level: string }, destination?: DestinationStream): Log {
  const settings = {
    name: options.name,
    level: options.level,
    redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
    errorKey: 'error',
    serializers: { error: stdSerializers.err },
    mixin: traceFields,
    // JSON leaves some characters unescaped that control a reader's terminal.
    hooks: { streamWrite: escapedLine },
  };
  return destination === undefined ? pino(settings) : pino(settings, destination);
}

/**
 * The fields that link a line to its trace. Without recorded traces no span is active, and the
 * line's own fields name the trace.
 */
function traceFields(): object {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? {} : { traceId: span.traceId, spanId: span.spanId };
}
