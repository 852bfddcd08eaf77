// From a request to the answer of an account's route: what is judged before the route itself, in the order of rule GEN3.
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import type { ReplyMessage } from '@taskgraph/wire/messages';
import type { Headers } from '../answer.ts';
import type { Identity } from '../authentication.ts';
import { type Input, judgePayload } from '../dispatch.ts';
import type { Arrived } from '../exchange.ts';
import type { AccountRoute } from './route.ts';

/** What REST answers; `status` where it is not that of the reply. */
export interface AccountReply {
  readonly reply: ReplyMessage | Refusal;
  readonly headers?: Headers | undefined;
  readonly status?: number | undefined;
}

interface Request {
  readonly input: Input;
  readonly identity: Identity | null;
  readonly arrived: Pick<Arrived, 'query' | 'header'>;
  readonly traceId: string;
  readonly arrivedMs: number;
}

/** Performs a route for whoever was found to call. */
export async function performRoute(route: AccountRoute, request: Request): Promise<AccountReply> {
  const { input, identity, arrived, traceId, arrivedMs } = request;
  const { payload: schema, resource } = route;
  const payload = schema === null ? {} : judgePayload({ payload: schema, resource }, input);
  if (isRefusal(payload)) return { reply: payload };
  const refused = identity === null ? null : refuseToken(route, identity);
  if (refused !== null) return { reply: refused };
  const outcome = await route.perform(payload, identity, {
    ...{ traceId, arrivedMs },
    ...{ cookie: arrived.header('cookie'), host: arrived.header('host'), query: arrived.query },
  });
  if (isRefusal(outcome)) return { reply: outcome };
  return { reply: { ok: true, body: outcome.body }, headers: outcome.headers, status: outcome.status };
}

function refuseToken(route: AccountRoute, { token }: Identity): Refusal | null {
  if (route.caller === 'session' && token.kind !== 'session') {
    return refuse('forbidden.session_required', 'This needs a session: sign in.');
  }
  if (route.changes && token.readOnly) return refuse('forbidden.read_only', 'This token can only read.');
  return null;
}
