// SHA-256 as hexadecimal digits, in browsers and in Node.

/** 64 digits. Rejects where the platform has no SHA-256, such as a page without HTTPS. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
