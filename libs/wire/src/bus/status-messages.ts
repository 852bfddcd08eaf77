// The reports of running services, which a worker requests from all of them. Rules: ADMIN3, ADMIN4.
//
// A report has metrics and names of services, and nothing of users. Its parts are lists, because
// objects with any field would let a service send more than is declared.
import { z } from 'zod';
import { text } from '../fields.ts';
import { anyId, PARTITIONS } from '../ids.ts';

/** The kinds of services that report. */
export const SERVICE_KINDS = ['gateway', 'worker', 'jobs', 'hooks'] as const;
export type ServiceKind = (typeof SERVICE_KINDS)[number];

/** Longer names are cut. */
export const SERVICE_NAME_LENGTH = 200;
/** Characters of the metrics of one service; the rest is left out. Half of the longest message. */
export const METRICS_LENGTH = 256 * 1024;
/**
 * A service sends its report after at most this long: parts that take longer are left out. Longer than
 * the checks of its backends, so that a report says which of them are away. Milliseconds.
 */
export const REPORT_LIMIT_MS = 1_300;
/** Services of which one answer has the reports. */
export const MAXIMUM_SERVICES = 200;

const name = text(SERVICE_NAME_LENGTH);
const count = z.int().min(0);

/** A request for reports: to all services, or with details to one process. */
export const statusRequest = z.object({ process: anyId.nullable() });
export type StatusRequest = z.infer<typeof statusRequest>;

/** The jobs of one queue. Those with a lower priority count as waiting. */
const queueLength = z.object({ name, waiting: count, active: count, delayed: count });
export type QueueLength = z.infer<typeof queueLength>;

/** The lease table as one worker sees it. `ageMs`: since the last change of the heartbeat. */
const leaseTable = z.object({
  /** The worker of each partition, by its index. */
  partitions: z.array(name.nullable()).max(PARTITIONS),
  workers: z.array(z.object({ name, ageMs: count, isLeaving: z.boolean() })).max(MAXIMUM_SERVICES),
});
export type LeaseTable = z.infer<typeof leaseTable>;

export const serviceReport = z.object({
  /** Random for each process. */
  process: anyId,
  kind: z.enum(SERVICE_KINDS),
  name,
  version: name,
  /** The release of Node. */
  node: name,
  startedTime: z.iso.datetime(),
  backends: z.array(z.object({ name, isUp: z.boolean() })).max(20),
  /** Metrics, each summed over its labels. */
  metrics: z.array(z.object({ name, value: z.number() })).max(50),
  /** Only of jobs services, which all report the same queues. */
  queues: z.array(queueLength).max(20),
  /** Only of a worker whose view is current. */
  leases: leaseTable.nullable(),
  /** The partitions that a worker serves. */
  serves: z.array(z.int().min(0)).max(PARTITIONS),
});
export type ServiceReport = z.infer<typeof serviceReport>;

/** The settings without secrets, and the metrics. */
export const serviceDetails = z.object({
  settings: z.array(z.object({ name, value: text(1_000) })).max(1_000),
  metrics: text(METRICS_LENGTH),
  /** Whether the metrics were longer. */
  truncated: z.boolean(),
});
export type ServiceDetails = z.infer<typeof serviceDetails>;

/** The answer of one process. The details are only in the answer to a request for this process. */
export const statusReply = z.object({ report: serviceReport, details: serviceDetails.nullable() });
export type StatusReply = z.infer<typeof statusReply>;
