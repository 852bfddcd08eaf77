// The address of a webhook (HOOK9). Whether a message may be sent to it is decided when it is sent.
import { text } from '../fields.ts';
import { WEBHOOK_URL_LENGTH } from './webhook-fields.ts';

/**
 * The URL of a webhook: `https`, or `http` for a target that the installation allows; without user
 * name, password and fragment.
 */
export const webhookUrl = text(WEBHOOK_URL_LENGTH, 1)
  .meta({ format: 'uri' })
  .refine(isWebhookUrl, 'must be an https URL without user name, password and fragment');

function isWebhookUrl(value: string): boolean {
  // The parser would remove white space within the text.
  if (/\s/.test(value) || !URL.canParse(value)) return false;
  const { protocol, username, password, hash, hostname } = new URL(value);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && hostname !== '' && `${username}${password}${hash}` === '' && !value.includes('#');
}

/** The host and port of an address, for names and logs: paths and queries may contain secrets. */
export function hostOfWebhook(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
