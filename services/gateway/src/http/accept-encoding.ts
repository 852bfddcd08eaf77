// Chooses the coding of an answer by the header Accept-Encoding (RFC 9110, 12.5.3). Rule: ZIP1.

/** The codings that the gateway supports. */
export type Coding = 'br' | 'gzip';

/** A longer header is ignored. */
const MOST_CHARACTERS = 1_000;
/** Any other weight makes its coding unacceptable. */
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * The coding that the client prefers, or null for a plain answer. `order` decides between codings
 * of equal weight. A client that sends no header gets a plain answer, and so does a client that
 * accepts no coding of ours, even if it excludes `identity`.
 */
export function codingFor(header: string, order: readonly Coding[]): Coding | null {
  if (header === '' || header.length > MOST_CHARACTERS) return null;
  const weights = new Map(header.split(',').map(weightedCoding));
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const [best] = [...order].sort((one, other) => weightOf(other) - weightOf(one));
  if (best === undefined || weightOf(best) === 0) return null;
  return weightOf(best) < (weights.get('identity') ?? 0) ? null : best;
}

function weightedCoding(item: string): [name: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
  const name = coding === 'x-gzip' ? 'gzip' : coding;
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return [name, WEIGHT.test(weight) ? Number(weight) : 0];
}
