// Signed texts that clients store and return unchanged and that only the service can create.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The purpose of a text. A signature for one purpose is invalid for another. */
type Purpose =
  | 'position'
  | 'cursor'
  | 'find'
  | 'sign-in'
  | 'sign-in-link'
  | 'registration'
  | 'password-reset'
  | 'device'
  | 'known-account'
  | 'account'
  | 'webhook-due';

/**
 * The signing secrets, several during a rotation. The first one signs, and signatures of any are
 * accepted.
 */
export type Secrets = string | readonly [string, ...string[]];

/** The text's content in base64url, a dot, and its HMAC-SHA-256 in base64url. */
export function signText(secrets: Secrets, purpose: Purpose, content: Buffer): string {
  const body = content.toString('base64url');
  return `${body}.${prove(secrets, purpose, body)}`;
}

/** The content of a text signed for this purpose; otherwise null. */
export function verifyText(secrets: Secrets, purpose: Purpose, text: string): Buffer | null {
  const [body = '', signature = '', ...more] = text.split('.', 3);
  return more.length === 0 && isProof(secrets, purpose, body, signature) ? Buffer.from(body, 'base64url') : null;
}

function signatureOf(secret: string, purpose: Purpose, body: string): Buffer {
  return createHmac('sha256', secret).update(`${purpose}:${body}`).digest();
}

/** Proves that a holder of the secret issued this text. The proof does not contain the text. */
export function prove(secrets: Secrets, purpose: Purpose, text: string): string {
  const [secret] = listOf(secrets);
  return signatureOf(secret, purpose, text).toString('base64url');
}

export function isProof(secrets: Secrets, purpose: Purpose, text: string, proof: string): boolean {
  const given = Buffer.from(proof, 'base64url');
  return listOf(secrets).some((secret) => {
    const wanted = signatureOf(secret, purpose, text);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

/** The secrets, of which the first one signs. */
export function listOf(secrets: Secrets): readonly [string, ...string[]] {
  return typeof secrets === 'string' ? [secrets] : secrets;
}
