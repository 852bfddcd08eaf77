// A slice whose diff stays as it came: a gateway hands it on to other gateways and to sockets, and reads no more of it than whose it is.
import { type AccessChange, type SliceMessage, sliceMessage } from '@taskgraph/wire/messages';

/** A slice with its JSON. */
export interface RawSlice extends Pick<SliceMessage, 'feed' | 'epoch' | 'seq' | 'public'> {
  readonly access?: readonly AccessChange[] | undefined;
  /** The whole slice as JSON, its diff last. */
  readonly json: string;
  /** Where the diff, an object, begins in it; the diff ends one character before the end. */
  readonly diffAt: number;
}

const HEAD = /^\{"feed":"([\w:-]{1,100})","epoch":(\d{1,15}),"seq":(\d{1,15}),(?:"public":(true),)?"diff":(?=\{)/;

/** A slice with its JSON in the form that is read fastest. */
export function rawSliceOf({ feed, epoch, seq, public: isPublic, access, diff }: SliceMessage): RawSlice {
  const others = { feed, epoch, seq, ...(isPublic && { public: isPublic }), ...(access !== undefined && { access }) };
  const before = `${JSON.stringify(others).slice(0, -1)},"diff":`;
  return { ...others, json: `${before}${JSON.stringify(diff)}}`, diffAt: before.length };
}

/** Reads a slice, without its diff where it begins as `rawSliceOf` writes it. Throws where it is none. */
export function readRawSlice(json: string): RawSlice {
  const [head, feed, epoch, seq, isPublic] = HEAD.exec(json) ?? [];
  if (head === undefined || feed === undefined || !json.endsWith('}}')) return rawSliceOf(parse(json));
  const named = { feed, epoch: Number(epoch), seq: Number(seq), json, diffAt: head.length };
  return isPublic === undefined ? named : { ...named, public: true };
}

function parse(json: string): SliceMessage {
  return sliceMessage.parse(JSON.parse(json));
}

/** The diff, read. Throws where it is no JSON. */
export function diffOf({ json, diffAt }: RawSlice): Record<string, unknown> {
  return JSON.parse(json.slice(diffAt, -1)) as Record<string, unknown>;
}

/** The diff as JSON with more fields of our own behind its last one. */
export function diffWith({ json, diffAt }: RawSlice, fields: Readonly<Record<string, unknown>>): string {
  const diff = json.slice(diffAt, -2);
  return `${diff}${diff === '{' ? '' : ','}${JSON.stringify(fields).slice(1)}`;
}
