// Reads a request's body, bounded, and understands it as JSON. Rules: GEN3, GEN4, NODE2.
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { BOUNDS } from '@taskgraph/wire/fields';

/** The part of a response that gives the request's body; each chunk is only valid during the call. */
export interface BodySource {
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): unknown;
}

const NOTHING = new Uint8Array();

/**
 * Collects a body of at most 256 KiB. Past it the answer is `bad_request.too_large` at once, while the rest still arrives: uWebSockets reads and
 * drops it, so that the client gets the answer. `keep` takes room for each part, or says why there is none. To be called before any await. It stays pending where the client goes away.
 */
export function readBody(
  source: BodySource,
  contentLength: string,
  keep: (bytes: number) => Refusal | null,
): Promise<Uint8Array | Refusal> {
  if (Number(contentLength) > BOUNDS.bodyBytes) return Promise.resolve(tooLarge);
  return new Promise((resolve) => {
    let chunks: Uint8Array[] = [];
    let length = 0;
    let isRefused = false;
    source.onData((chunk, isLast) => {
      length += chunk.byteLength;
      if (length > BOUNDS.bodyBytes) {
        chunks = [];
        resolve(tooLarge);
        return;
      }
      const refusal = isRefused ? null : keep(chunk.byteLength);
      if (refusal !== null) {
        isRefused = true;
        chunks = [];
        resolve(refusal);
      }
      if (isRefused) return;
      if (chunk.byteLength > 0) chunks.push(new Uint8Array(chunk.slice(0)));
      if (isLast) resolve(chunks.length === 0 ? NOTHING : Buffer.concat(chunks));
    });
  });
}

const tooLarge = refuse('bad_request.too_large', `A body can have at most ${BOUNDS.bodyBytes} bytes.`);

/** A body that was understood, in a box of its own: any JSON value may stand in it. */
export interface Parsed {
  readonly value: unknown;
}

/** Understands a body that is not empty. A content type is not asked for, but one that says other than JSON is refused. */
export function parseBody(bytes: Uint8Array, contentType: string): Parsed | Refusal {
  if (contentType !== '' && !/^application\/([\w.-]+\+)?json *(;|$)/i.test(contentType.trim())) {
    return refuse('bad_request.invalid_content_type', 'The content type must be application/json.');
  }
  try {
    // Broken UTF-8 is refused rather than repaired: the repaired text would be stored as if the client had sent it.
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) };
  } catch {
    return refuse('bad_request.invalid_json', 'The body is not valid JSON.');
  }
}
