// Secrets of webhooks: `whsec_` and 32 random bytes in base64, as Standard Webhooks has them. They are
// stored sealed for their webhook (HOOK11).
import { randomBytes } from 'node:crypto';
import { openText, sealText } from './sealed-text.ts';
import type { Secrets } from './signed-text.ts';

const SECRET_BYTES = 32;

export function newWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** The stored form of a webhook's secret. */
export function sealWebhookSecret(secrets: Secrets, hookId: string, secret: string): string {
  return sealText(secrets, { purpose: 'webhook', context: hookId }, secret);
}

/** The secret of a stored form; null if none of the secrets sealed it for this webhook. */
export function openWebhookSecret(secrets: Secrets, hookId: string, sealed: string): string | null {
  return openText(secrets, { purpose: 'webhook', context: hookId }, sealed);
}
