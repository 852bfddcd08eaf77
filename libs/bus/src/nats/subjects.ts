// All NATS subjects, queue groups, headers and buckets.

/** Commands of one partition (0..63). Only the worker with the partition's lease subscribes. */
export function commandSubject(partition: number): string {
  return `tg.cmd.${partition}`;
}

/**
 * Commands of the system for one partition (0..63). If NATS has a user for each service, only jobs
 * may publish here.
 */
export function systemSubject(partition: number): string {
  return `tg.system.${partition}`;
}

/**
 * Prefix of all reply subjects. Each kind of service has its own subjects below it, which no other
 * kind may read.
 */
export const INBOX_PREFIX = '_INBOX';

/** Reads; any worker answers. */
export const READ_SUBJECT = 'tg.read';

/**
 * Reads by users of one partition (0..63). The worker with its lease answers, since its cache may
 * hold their pages.
 */
export function partitionReadSubject(partition: number): string {
  return `${READ_SUBJECT}.${partition}`;
}

export const READ_QUEUE = 'workers';

/**
 * Slices of committed groups. One gateway receives each message and forwards it to the other
 * gateways' sockets.
 */
export const SLICES_SUBJECT = 'tg.slices';
/**
 * The number is the version of the protocol by which gateways forward slices. Gateways of another
 * version receive their own copy.
 */
export const SLICES_QUEUE = 'gateways.3';

/** Epoch changes and ended tokens; every gateway receives each message. */
export const CONTROL_SUBJECT = 'tg.control';

/**
 * Due times of grants and publications that were just committed. One jobs service receives each
 * message.
 */
export const EXPIRATIONS_SUBJECT = 'tg.dues';
export const EXPIRATIONS_QUEUE = 'jobs';

/** Messages of webhooks to send. One hooks service receives each request. */
export const WEBHOOK_SEND_SUBJECT = 'tg.hooks.send';
export const WEBHOOK_SEND_QUEUE = 'hooks';

/** Requests of workers for reports; every service receives each request. */
export const STATUS_SUBJECT = 'tg.status';
/** Prefix of the subjects of reports. Only workers may subscribe to them. */
export const STATUS_INBOX = `${INBOX_PREFIX}.status`;

/**
 * A reply in parts: its id (which differs for each attempt), the index of the part, and the number
 * of parts.
 */
export const REPLY_ID_HEADER = 'Tg-Answer';
export const PART_INDEX_HEADER = 'Tg-Part';
export const PART_COUNT_HEADER = 'Tg-Parts';

/** The bucket of leases and heartbeats (lease.ts). */
export const LEASE_BUCKET = 'taskgraph-leases';
