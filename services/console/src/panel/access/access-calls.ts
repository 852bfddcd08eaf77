// The calls about sharing. A dry run goes over REST: the replica gives each command a key, which a
// dry run may not have (DRY1).
import { type Calls, type Changed, type Replica, rest, TaskgraphError } from '@taskgraph/client';
import { refusalText } from '../../messages/messages.ts';
import { access as texts } from '../../messages/texts/access.ts';
import { DayFault } from './end-of-day.ts';

const ROUTES = {
  'node:access': ['POST', '/api/node/access'],
  'node:access:update': ['PUT', '/api/node/access'],
  'node:access:delete': ['DELETE', '/api/node/access'],
  'node:publish': ['POST', '/api/node/public'],
  'node:publish:update': ['PUT', '/api/node/public'],
  'node:unpublish': ['DELETE', '/api/node/public'],
} as const;

export type AccessOperation = keyof typeof ROUTES;

/** The answer of the command, with the e-mails that would gain or lose sight of a node. */
export function dryRun<E extends AccessOperation>(event: E, payload: Calls[E]['payload']): Promise<Changed> {
  const [method, path] = ROUTES[event];
  return rest({ url: location.origin, session: true }).request(method, path, { body: { ...payload, dryRun: true } });
}

/** The tasks of a branch that the reader sees. */
export interface BranchSize {
  readonly tasks: number;
  /** Whether there are more. */
  readonly isAtLeast: boolean;
}

/** More tasks than that are not counted. */
const MOST_COUNTED = 1_000;

export async function branchSize(replica: Replica, root: string): Promise<BranchSize> {
  try {
    const { nodes } = await replica.call('branch:get', { root, limit: MOST_COUNTED + 1, fields: ['id'] });
    return { tasks: Math.min(nodes.length, MOST_COUNTED), isAtLeast: nodes.length > MOST_COUNTED };
  } catch (error) {
    if (!(error instanceof TaskgraphError) || error.code !== 'bad_request.too_large') throw error;
    return { tasks: MOST_COUNTED, isAtLeast: true };
  }
}

export const ONE_TASK: BranchSize = { tasks: 1, isAtLeast: false };

export function accessRefusal(error: unknown): string {
  if (error instanceof DayFault) return error.message;
  return (error instanceof TaskgraphError ? texts.refusals[error.code] : undefined) ?? refusalText(error);
}
