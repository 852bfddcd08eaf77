// The metrics of a gateway, as docs/metrics.md lists them. Other parts count by its functions or
// hand it their numbers; it imports none of them.
import { LIMITS } from '@taskgraph/commands/rate-limits';
import { byLabel, createMetrics, type Metrics, WAITING_SECONDS } from '@taskgraph/runtime/telemetry/metrics';
import { GATEWAY_READS, type GatewayRead } from '@taskgraph/wire/bus/gateway-reads';
import { socketOperations } from '@taskgraph/wire/operations/operations';

const TRANSPORTS = ['rest', 'socket'] as const;
export type Transport = (typeof TRANSPORTS)[number];

const OUTCOMES = ['ok', 'refused', 'error'] as const;
/**
 * `refused`: the client must change something. `error`: the service failed, with a status from 500
 * on.
 */
export type CallOutcome = (typeof OUTCOMES)[number];

/** The kind of an operation, an attempt to connect, or an unknown call. */
export type CallKind = 'command' | 'read' | 'account' | 'connection' | 'other';

export interface EndedCall {
  readonly kind: CallKind;
  /** An event or the name of an account route; never a client's own text. */
  readonly name: string;
  readonly transport: Transport;
  readonly outcome: CallOutcome;
  readonly seconds: number;
  /** Null unless the trace is recorded. */
  readonly traceId: string | null;
}

export interface GatewayMetrics {
  readonly metrics: Metrics;
  /** Plain numbers, which the realtime parts increase. */
  readonly counts: { slices: number; skipped: number; unexplained: number };
  readonly feedLookups: { copied: number; looked_up: number };
  /** Counts a malformed answer of a worker to the gateway. */
  noteMalformed(event: GatewayRead): void;
  /** Counts an answered call. */
  note(ended: EndedCall): void;
  /** Counts a call that a rate limit refused. */
  noteLimited(limit: string): void;
  /** Declares the metrics whose numbers other parts keep; they are read with each scrape. */
  watch(sources: MetricSources): void;
}

type Counts = Readonly<Record<string, number>>;

/** The numbers that other parts of the gateway keep. */
export interface MetricSources {
  readonly limits: {
    readonly counters: Readonly<Record<LimitCounter, number>>;
    readonly backOff: { refused(): number };
    gateways(): number;
  };
  readonly sockets: () => number;
  readonly rooms: () => number;
  readonly held: () => number;
  readonly connections: {
    waiting(): number;
    bufferedBytes(): number;
    readonly ended: Counts;
    readonly refused: Counts;
  };
  readonly quotas: { readonly refused: Counts };
  readonly requests: {
    open(): number;
    bodyBytes(): number;
    answerBytes(): number;
    cutOff(): number;
    readonly refused: Counts;
  };
  /** Bytes of the compressed answers, before and after. */
  readonly compression: { readonly bytes: Counts };
  readonly waitingCalls: { count(): number; refused(): Counts };
  /** Tokens and addresses of calendars that were refused without a look-up. */
  readonly unseen: () => number;
  readonly calls: { underWay(): number; readonly refused: Counts };
}

type LimitCounter = 'shared' | 'local' | 'closed' | 'outages';

export function createGatewayMetrics(): GatewayMetrics {
  const metrics = createMetrics();
  const { counter, gauge, histogram } = metrics;
  const counts = { slices: 0, skipped: 0, unexplained: 0 };
  const feedLookups = { copied: 0, looked_up: 0 };
  const labels = ['event', 'transport', 'outcome'];
  const commands = counter('taskgraph_commands_total', 'Commands answered.', labels);
  const timing = { labels: ['event'], buckets: WAITING_SECONDS };
  const noteCommand = histogram(
    'taskgraph_command_duration_seconds',
    'Time from the arrival of a command to its answer.',
    timing,
  );
  const reads = counter('taskgraph_reads_total', 'Reads answered.', labels);
  const noteRead = histogram(
    'taskgraph_read_duration_seconds',
    'Time from the arrival of a read to its answer, without the time for which it waited for a change.',
    timing,
  );
  const accounts = counter('taskgraph_account_calls_total', 'Account calls answered, over REST.', labels);
  const connections = counter('taskgraph_connections_total', 'Attempts to connect a socket.', ['outcome']);
  counter(
    'taskgraph_socket_feed_lookups_total',
    'Look-ups of the feeds of connecting users, by a copy of another socket (`copied`) or by a worker (`looked_up`).',
    ['way'],
    () => byLabel('way', feedLookups),
  );
  counter(
    'taskgraph_slices_total',
    'Slices received from workers and passed on to subscribed sockets.',
    [],
    () => counts.slices,
  );
  counter(
    'taskgraph_slices_skipped_total',
    'Numbers of feeds that did not arrive in time (gaps). Each gateway counts them itself.',
    [],
    () => counts.skipped,
  );
  const malformed = counter('taskgraph_malformed_answers_total', 'Malformed answers of workers to gateways.', [
    'event',
  ]);
  counter(
    'taskgraph_epochs_unexplained_total',
    'Raised epochs whose control message did not arrive in time, so that all readers of the feed were verified again.',
    [],
    () => counts.unexplained,
  );
  // All start at 0, so that a rate is right from the first call on.
  for (const { kind, name } of socketOperations) startCalls(kind === 'command' ? commands : reads, name);
  for (const outcome of OUTCOMES) connections.inc({ outcome }, 0);
  for (const event of Object.keys(GATEWAY_READS)) malformed.inc({ event }, 0);
  const limited = counter('taskgraph_rate_limited_total', 'Calls refused by a rate limit.', ['limit']);
  for (const { name } of LIMITS) limited.inc({ limit: name }, 0);
  const knownAccounts = new Set<string>();
  return {
    metrics,
    counts,
    feedLookups,
    noteMalformed: (event) => malformed.inc({ event }),
    note({ kind, name, transport, outcome, seconds, traceId }) {
      const call = { event: name, transport, outcome };
      if (kind === 'connection') connections.inc({ outcome });
      if (kind === 'account') {
        if (!knownAccounts.has(name)) startCalls(accounts, name);
        knownAccounts.add(name);
        accounts.inc(call);
      }
      if (kind === 'command') {
        commands.inc(call);
        noteCommand({ event: name }, seconds, traceId);
      }
      if (kind === 'read') {
        reads.inc(call);
        noteRead({ event: name }, seconds, traceId);
      }
    },
    noteLimited: (limit) => limited.inc({ limit }),
    watch(sources) {
      const { limits, sockets, rooms, held, connections, quotas, requests, unseen, calls } = sources;
      const { compression, waitingCalls } = sources;
      declareLimits(metrics, limits);
      gauge('taskgraph_sockets', 'Open sockets.', [], sockets);
      gauge('taskgraph_rooms', 'Feeds to which sockets and waiting calls of this gateway are subscribed.', [], rooms);
      gauge(
        'taskgraph_slices_held',
        'Slices that wait for an earlier slice or for the control message of their epoch.',
        [],
        held,
      );
      gauge('taskgraph_sockets_waiting', 'Connections that are not yet admitted.', [], connections.waiting);
      gauge('taskgraph_backpressure_bytes', 'Bytes buffered for slow sockets.', [], connections.bufferedBytes);
      counter('taskgraph_sockets_ended_total', 'Connections that the gateway ended, by reason.', ['why'], () =>
        byLabel('why', connections.ended),
      );
      counter('taskgraph_sockets_refused_total', 'Connections refused because there were too many.', ['limit'], () =>
        byLabel('limit', { ...connections.refused, ...quotas.refused }),
      );
      gauge('taskgraph_calls_under_way', 'Socket calls in progress.', [], calls.underWay);
      counter('taskgraph_calls_refused_total', 'Socket calls refused because too many were in progress.', ['why'], () =>
        byLabel('why', calls.refused),
      );
      gauge(
        'taskgraph_requests_open',
        'Open REST requests, until the client has read the answer. Waiting calls are not among them.',
        [],
        requests.open,
      );
      gauge('taskgraph_waiting_calls', 'REST calls that wait for changes.', [], waitingCalls.count);
      gauge('taskgraph_body_bytes', 'Bytes of request bodies in memory.', [], requests.bodyBytes);
      gauge(
        'taskgraph_answer_bytes',
        'Bytes of REST answers that clients have not read yet.',
        [],
        requests.answerBytes,
      );
      counter(
        'taskgraph_answers_cut_total',
        'REST answers aborted because clients read them too slowly.',
        [],
        requests.cutOff,
      );
      counter('taskgraph_requests_refused_total', 'REST requests refused because too much was open.', ['limit'], () =>
        byLabel('limit', { ...requests.refused, ...waitingCalls.refused() }),
      );
      counter(
        'taskgraph_compressed_bytes_total',
        'Bytes of REST answers sent compressed, before and after, including pages that a worker compressed. Files are not included.',
        ['when'],
        () => byLabel('when', compression.bytes),
      );
      counter(
        'taskgraph_tokens_unseen_total',
        'Tokens and addresses of calendars refused without a look-up, because their client sent too many wrong ones.',
        [],
        unseen,
      );
    },
  };
}

function declareLimits({ counter, gauge }: Metrics, limits: MetricSources['limits']): void {
  const { counters } = limits;
  const total = (name: string, meaning: string, key: LimitCounter) => counter(name, meaning, [], () => counters[key]);
  counter(
    'taskgraph_limit_checks_total',
    'Calls counted for rate limits, together with all gateways or by this gateway alone.',
    ['way'],
    () => byLabel('way', { shared: counters.shared, local: counters.local }),
  );
  total(
    'taskgraph_limit_closed_total',
    'Calls refused because their limits could not be counted with all gateways.',
    'closed',
  );
  total('taskgraph_limit_outages_total', 'Changes from counting with all gateways to counting alone.', 'outages');
  counter('taskgraph_logins_backed_off_total', 'Password attempts that were delayed after failures.', [], () =>
    limits.backOff.refused(),
  );
  gauge(
    'taskgraph_limit_gateways',
    'Known gateways, among which limits are divided while Redis is away.',
    [],
    limits.gateways,
  );
}

/** Starts the counts of an event at 0. */
function startCalls(calls: ReturnType<Metrics['counter']>, event: string): void {
  for (const transport of TRANSPORTS) for (const outcome of OUTCOMES) calls.inc({ event, transport, outcome }, 0);
}
