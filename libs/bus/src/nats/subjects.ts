// The names of all NATS subjects, queue groups, headers and buckets, so that no two uses can differ.

/** Commands of one partition (0..63); the worker that holds the partition's lease subscribes, alone. */
export function commandSubject(partition: number): string {
  return `tg.cmd.${partition}`;
}

/** Commands of the system to one partition (0..63). Where NATS has users of its own for each service, jobs alone may speak here. */
export function systemSubject(partition: number): string {
  return `tg.system.${partition}`;
}

/** The beginning of the subjects of all answers. Each kind of service has a part of its own below it, so that no other can read along. */
export const INBOXES = '_INBOX';

/** Reads; any worker answers. */
export const READ_SUBJECT = 'tg.read';

/** Reads of the users of one partition (0..63); the worker that holds its lease answers, which has made pages for them before. */
export function partitionReadSubject(partition: number): string {
  return `${READ_SUBJECT}.${partition}`;
}

export const READ_QUEUE = 'workers';

/** Slices of committed groups; one gateway takes each message and hands it to the sockets of all. */
export const SLICES_SUBJECT = 'tg.slices';
/** The number is that of the way in which gateways hand slices to each other: those of another way get their own copy of each. */
export const SLICES_QUEUE = 'gateways.3';

/** The effects of committed groups on rooms; every gateway takes each message. */
export const CONTROL_SUBJECT = 'tg.control';

/** Ends of grants and publications that were just committed; one jobs service takes each message. */
export const EXPIRATIONS_SUBJECT = 'tg.dues';
export const EXPIRATIONS_QUEUE = 'jobs';

/** An answer in parts: which answer (a retry's answer has another id), which part from 0, of how many. */
export const ANSWER_HEADER = 'Tg-Answer';
export const PART_HEADER = 'Tg-Part';
export const PARTS_HEADER = 'Tg-Parts';

/** The bucket of leases and heartbeats (lease.ts). */
export const LEASE_BUCKET = 'taskgraph-leases';
