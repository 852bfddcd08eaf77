// The structured log of a service: one JSON object a line, without secrets.
import { trace } from '@opentelemetry/api';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { escapedLine } from './control-characters.ts';

export type Log = Logger;

/** Fields that hold secrets, as they are written in our own objects and in headers. */
const SECRET_FIELDS = [
  ...['authorization', 'Authorization', 'cookie', 'Cookie', 'set-cookie', 'Set-Cookie', 'sec-websocket-protocol'],
  ...['token', 'session', 'plaintext', 'api_token', 'public_token', 'publicToken', 'hash', 'secret'],
  ...['password', 'passwordHash', 'current', 'clientSecret', 'verifier', 'nonce', 'ticket', 'proof', 'salt'],
];

// Redaction looks at fixed depths only, so that a deep object costs nothing: nobody logs deeper than a request's headers.
const REDACTED_PATHS = SECRET_FIELDS.map((field) => `["${field}"]`).flatMap((field) => [
  field,
  `*${field}`,
  `*.*${field}`,
]);

/**
 * Makes the log of a service.
 *
 * name: the service's name, on every line. level: `trace` to `fatal`, or `silent`. An error goes under the key `error`, and is written
 * with its stack. A line that is written in a span bears `traceId` and `spanId`. destination: where lines go; standard output if not given.
 */
export function createLog(options: { name: string; level: string }, destination?: DestinationStream): Log {
  const settings = {
    name: options.name,
    level: options.level,
    redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
    errorKey: 'error',
    serializers: { error: stdSerializers.err },
    mixin: traceFields,
    // JSON leaves some characters as they are by which a text could steer the terminal of whoever reads the log.
    hooks: { streamWrite: escapedLine },
  };
  return destination === undefined ? pino(settings) : pino(settings, destination);
}

/** The fields that lead from a line to its trace. Where no traces are recorded no span is ever active, and the line's own fields name its trace. */
function traceFields(): object {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? {} : { traceId: span.traceId, spanId: span.spanId };
}
