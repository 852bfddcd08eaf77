// The calls on the webhooks of a user and of their bots. Rules: HOOK1, BOT3.
import type {
  CallTypes,
  ChangedWebhook,
  NewWebhook,
  ReplayedWebhook,
  Webhook,
  WebhookDeliveries,
  Webhooks,
} from '@taskgraph/wire/public-types';
import { type RestClient, type RestCredentials, rest } from '../rest.ts';

/** The fields of a new webhook. */
export interface WebhookFields {
  /** The address of the receiver. */
  url: string;
  /** Default: the host of the address. */
  name?: string;
  /** The root of a branch; without it, the whole graph. */
  root?: string;
  /** The types of its events; without it, all. */
  events?: Webhook['events'];
  /** Conditions, as `node:find` takes them. */
  where?: NonNullable<CallTypes['node:find']['payload']['where']>;
}

/** The fields to change; null for the whole graph, or no conditions. */
export type WebhookChanges = Partial<Omit<WebhookFields, 'root' | 'where'>> & {
  root?: string | null;
  where?: WebhookFields['where'] | null;
  /** Disables the webhook, or lets it continue where it ended. */
  enabled?: boolean;
};

const PATH = '/api/hook';

/**
 * The webhooks of a user, by a session or by a token with the scopes `hooks` and `read`; `session:
 * true` stands for the session of the browser. A token manages only the webhooks that it created.
 * Each call throws a TaskgraphError. A call is sent again after a lost connection: then a webhook may
 * be added twice.
 */
export function webhooks({ url, ...credentials }: { url: string } & RestCredentials) {
  const { request } = rest({ url, ...credentials });
  return {
    ...managedWebhooks(request),
    /** The answer's `secret` signs the messages; the service never shows it again. */
    add: (fields: WebhookFields) => request<NewWebhook>('POST', PATH, { body: { ...fields } }),
    /** `overlap`: hours for which the present secret signs too. */
    rotate: (id: string, options: { overlap?: number } = {}) =>
      request<NewWebhook>('POST', `${PATH}/rotate`, { body: { id, ...options } }),
    /** Sends a `hook.ping`, once; `deliveries` lists the attempt. */
    test: async (id: string) => (await request<ChangedWebhook>('POST', `${PATH}/test`, { body: { id } })).hook,
    /** Sends the changes and due dates since a time again. */
    replay: (id: string, since: string) => request<ReplayedWebhook>('POST', `${PATH}/replay`, { body: { id, since } }),
  };
}

/** The calls on the webhooks of the user, or of a bot. */
export function managedWebhooks(request: RestClient['request'], of: { readonly bot?: string } = {}) {
  return {
    list: async () => (await request<Webhooks>('GET', PATH, { query: of })).hooks,
    update: async (id: string, changes: WebhookChanges) =>
      (await request<ChangedWebhook>('PUT', PATH, { body: { id, ...changes, ...of } })).hook,
    delete: async (id: string) => void (await request('DELETE', PATH, { body: { id, ...of } })),
    /** The last attempts, newest first. */
    deliveries: async (id: string) =>
      (await request<WebhookDeliveries>('GET', `${PATH}/deliveries`, { query: { id, ...of } })).deliveries,
  };
}
