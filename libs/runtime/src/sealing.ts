// Texts that clients keep for us and hand back unchanged: signed, so that nobody else can make one.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a text is for: one of one kind is none of another. */
type Purpose = 'position' | 'cursor' | 'registration' | 'sign-in' | 'account';

/** The text's content in base64url, a dot, and its HMAC-SHA-256 in base64url. */
export function seal(secret: string, purpose: Purpose, content: Buffer): string {
  const body = content.toString('base64url');
  return `${body}.${signatureOf(secret, purpose, body).toString('base64url')}`;
}

/** The content of a text that was sealed for this purpose, or null for everything else. */
export function unseal(secret: string, purpose: Purpose, text: string): Buffer | null {
  const [body = '', signature = '', ...more] = text.split('.');
  const [given, wanted] = [Buffer.from(signature, 'base64url'), signatureOf(secret, purpose, body)];
  if (more.length > 0 || given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
  return Buffer.from(body, 'base64url');
}

function signatureOf(secret: string, purpose: Purpose, body: string): Buffer {
  return createHmac('sha256', secret).update(`${purpose}:${body}`).digest();
}

/** Proves that whoever has the secret says this. The text itself is not in the proof. */
export function prove(secret: string, purpose: Purpose, text: string): string {
  return signatureOf(secret, purpose, text).toString('base64url');
}

export function isProof(secret: string, purpose: Purpose, text: string, proof: string): boolean {
  const [given, wanted] = [Buffer.from(proof, 'base64url'), signatureOf(secret, purpose, text)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
