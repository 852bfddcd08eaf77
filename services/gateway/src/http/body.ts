// Reads the body of a request up to a bound, and parses it as JSON. Rules: GEN3, GEN4, NODE2.
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { BOUNDS } from '@taskgraph/wire/fields';

/**
 * The part of a response that delivers the request's body; a chunk is valid only during the call.
 */
export interface BodySource {
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): unknown;
}

const NOTHING = new Uint8Array();

/**
 * Collects a body of at most 256 KiB. A longer one is refused at once as `bad_request.too_large`,
 * while uWebSockets reads and drops the rest, so that the client gets the answer. `keep` reserves
 * memory for each part, or refuses it. Call it before any await. The promise stays pending if the
 * client disconnects.
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
      if (!isLast) return;
      resolve(chunks.length === 0 ? NOTHING : Buffer.concat(chunks));
      // The handler lives as long as the request, which may wait for a change (LONG1).
      chunks = [];
    });
  });
}

const tooLarge = refuse('bad_request.too_large', `A body can have at most ${BOUNDS.bodyBytes} bytes.`);

/** A parsed body, in an object of its own because it may be any JSON value. */
export interface ParsedBody {
  readonly value: unknown;
}

/**
 * Parses a body that is not empty. The content type may be missing; any other than JSON is refused.
 */
export function parseBody(bytes: Uint8Array, contentType: string): ParsedBody | Refusal {
  if (contentType !== '' && !/^application\/([\w.-]+\+)?json *(;|$)/i.test(contentType.trim())) {
    return refuse('bad_request.invalid_content_type', 'The content type must be application/json.');
  }
  try {
    // Broken UTF-8 is refused: repaired, the text would be stored as if the client had sent it.
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) };
  } catch {
    return refuse('bad_request.invalid_json', 'The body is not valid JSON.');
  }
}
