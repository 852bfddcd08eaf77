// The messages to webhooks, in the form of OpenAPI's `webhooks`: requests that a receiver answers.

import type { JsonSchema } from '@taskgraph/wire/operations/payload-schema';
import { WEBHOOK_BODIES } from '@taskgraph/wire/webhooks/webhook-bodies';
import { z } from 'zod';
import { referenceTo } from './schemas.ts';
import { tagOf } from './words.ts';

const SUMMARIES: Readonly<Record<keyof typeof WEBHOOK_BODIES, string>> = {
  'graph.changed': 'Reports changes that the user of the webhook sees.',
  'graph.due': 'Reports open nodes whose due dates have passed.',
  'graph.reset': 'Tells a receiver to read the graph again, because history lacks some changes.',
  'hook.ping': 'Tests the address of a webhook.',
};

const HEADERS = [
  ['webhook-id', 'Identifies the message. All attempts of a message have the same one.'],
  ['webhook-timestamp', 'When this attempt was signed, in seconds since 1970.'],
  ['webhook-signature', 'One or two signatures, separated by a space: `v1,` and an HMAC-SHA256 in base64.'],
] as const;

/** The messages by type. */
export function webhookMessages(): Record<string, JsonSchema> {
  const types = Object.keys(WEBHOOK_BODIES) as (keyof typeof WEBHOOK_BODIES)[];
  return Object.fromEntries(types.map((type) => [type, { post: messageOf(type) }]));
}

function messageOf(type: keyof typeof WEBHOOK_BODIES): JsonSchema {
  const body: z.ZodType = WEBHOOK_BODIES[type];
  return {
    operationId: `receive${z.globalRegistry.get(body)?.id}`,
    tags: [tagOf('hook:')],
    summary: SUMMARIES[type],
    description:
      'A message of Standard Webhooks 1.0.0. Messages to one webhook come in order, at least once each: a message is sent again until the receiver answers with 2xx. Rules: HOOK4 to HOOK8 (docs/rules.md).',
    security: [{}],
    parameters: HEADERS.map(([name, description]) => ({
      name,
      in: 'header',
      description,
      required: true,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: { 'application/json': { schema: referenceTo(body) } } },
    responses: {
      204: { description: 'The receiver accepts the message; any 2xx does.' },
      410: { description: 'The receiver is gone: the service disables the webhook.' },
      default: { description: 'The message is sent again later.' },
    },
  };
}
