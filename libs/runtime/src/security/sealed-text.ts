// Encrypted texts that clients store and return unchanged. Only the service can read or create
// them. The nonce derives from the content, so the same content has the same text.
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { listOf, type Secrets } from './signed-text.ts';

/** The purpose of a text. A text of one purpose cannot be opened for another. */
type Purpose = 'history' | 'webhook';

/**
 * The purpose and the context of a text, such as its reader. Both are needed to open the text,
 * which does not contain them.
 */
interface Binding {
  readonly purpose: Purpose;
  readonly context: string;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Nonce, content and tag in base64url. The first secret seals. */
export function sealText(secrets: Secrets, { purpose, context }: Binding, content: string): string {
  const [secret] = listOf(secrets);
  const nonce = createHmac('sha256', keyOf(secret, `nonce:${purpose}`))
    .update(JSON.stringify([context, content]))
    .digest()
    .subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(secret, `seal:${purpose}`), nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(content, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url');
}

/** The content of a text that any of the secrets sealed for this binding; otherwise null. */
export function openText(secrets: Secrets, binding: Binding, text: string): string | null {
  const bytes = Buffer.from(text, 'base64url');
  // A decoder ignores what does not belong to the alphabet, and the last bits.
  if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== text) return null;
  for (const secret of listOf(secrets)) {
    const content = decrypt(keyOf(secret, `seal:${binding.purpose}`), binding.context, bytes);
    if (content !== null) return content;
  }
  return null;
}

function decrypt(key: Buffer, context: string, bytes: Buffer): string | null {
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  const content = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return Buffer.concat([content, decipher.final()]).toString('utf8');
  } catch {
    // The service did not seal this text, or sealed it for another purpose or context.
    return null;
  }
}

function keyOf(secret: string, use: string): Buffer {
  return createHmac('sha256', secret).update(use).digest();
}
