// Signatures of messages as Standard Webhooks 1.0.0 defines them (HOOK4).
import { createHmac } from 'node:crypto';

/** What secrets begin with. Base64 of 32 random bytes follows. */
export const WEBHOOK_SECRET_PREFIX = 'whsec_';

interface SignedContent {
  /** The message's id, without a dot. */
  readonly id: string;
  /** Whole seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * The three headers of a message. Each secret (`whsec_…`) adds a signature, so that a receiver may
 * have either during a rotation.
 */
export function webhookHeaders({ id, timestamp, body }: SignedContent, secrets: readonly [string, ...string[]]) {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
