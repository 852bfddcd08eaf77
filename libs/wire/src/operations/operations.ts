// The table of all operations. Workers add the handlers of commands and reads, gateways those of
// account operations.
import { accountOperations } from './account-operations.ts';
import { adminOperations } from './admin/admin-operations.ts';
import { batchOperations } from './batch-operations.ts';
import { calendarOperations } from './calendars/calendar-operations.ts';
import { claimOperations } from './claims/claim-operations.ts';
import { findOperations } from './find-operations.ts';
import { importOperations } from './imports/import-operations.ts';
import { linkOperations } from './link-operations.ts';
import { nodeOperations } from './node-operations.ts';
import { nodeReadOperations } from './node-read-operations.ts';
import type { Operation } from './operation.ts';
import { planOperations } from './plan-operations.ts';
import { readOperations } from './read-operations.ts';
import { sharingOperations } from './sharing-operations.ts';
import { tokenOperations } from './token-operations.ts';
import { webhookOperations } from './webhooks/webhook-operations.ts';
import { whyOperations } from './why-operations.ts';

/** By name, in the order of the documents. */
export const OPERATIONS = {
  ...nodeOperations,
  ...claimOperations,
  ...sharingOperations,
  ...linkOperations,
  ...batchOperations,
  ...nodeReadOperations,
  ...findOperations,
  ...readOperations,
  ...planOperations,
  ...whyOperations,
  ...accountOperations,
  ...tokenOperations,
  ...calendarOperations,
  ...webhookOperations,
  ...importOperations,
  ...adminOperations,
} as const satisfies Record<string, Operation>;

type Operations = typeof OPERATIONS;
export type OperationName = keyof Operations;

/** The names of the operations of a kind. */
export type NameOf<K extends Operation['kind']> = {
  [N in OperationName]: Operations[N]['kind'] extends K ? N : never;
}[OperationName];

/** The names of the operations that sockets have too. */
export type EventName = NameOf<'command' | 'read'>;

/** The payload schema of an operation. */
export type PayloadSchema<N extends OperationName> = Operations[N]['payload'];

/** All operations. */
export const operations: readonly Operation[] = Object.values(OPERATIONS);

/** The operations that sockets have too: commands and reads. */
export const socketOperations: readonly Operation[] = operations.filter(({ transports }) => transports.socket);

/** The operation of a socket's event, or undefined. */
export function operationOf(event: string): Operation | undefined {
  return byEvent.get(event);
}

const byEvent = new Map(socketOperations.map((operation) => [operation.name, operation]));
