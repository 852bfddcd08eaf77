// A slice with its diff left as JSON. A gateway forwards the diff and reads only the fields that
// address it.

import { type AccessChange, type SliceMessage, sliceMessage } from '@taskgraph/wire/bus/feed-messages';
import { definedFields } from '@taskgraph/wire/defined-fields';

/** A slice with its JSON. */
export interface RawSlice extends Pick<SliceMessage, 'feed' | 'epoch' | 'seq' | 'public'> {
  readonly access?: readonly AccessChange[] | undefined;
  /** The whole slice as JSON, its diff last. */
  readonly json: string;
  /**
   * Index in `json` at which the diff object begins; it ends one character before the end of
   * `json`.
   */
  readonly diffAt: number;
}

const HEAD = /^\{"feed":"([\w:-]{1,100})","epoch":(\d{1,15}),"seq":(\d{1,15}),(?:"public":(true),)?"diff":(?=\{)/;

/** Encodes a slice in the layout that `readRawSlice` parses fastest. */
export function rawSliceOf({ feed, epoch, seq, public: isPublic, access, diff }: SliceMessage): RawSlice {
  const others = { feed, epoch, seq, ...(isPublic && { public: isPublic }), ...definedFields({ access }) };
  const before = `${JSON.stringify(others).slice(0, -1)},"diff":`;
  return { ...others, json: `${before}${JSON.stringify(diff)}}`, diffAt: before.length };
}

/**
 * Parses a slice. It skips the diff if the layout is that of `rawSliceOf`. Throws on invalid input.
 */
export function readRawSlice(json: string): RawSlice {
  const [head, feed, epoch, seq, isPublic] = HEAD.exec(json) ?? [];
  if (head === undefined || feed === undefined || !json.endsWith('}}')) return rawSliceOf(parse(json));
  const named = { feed, epoch: Number(epoch), seq: Number(seq), json, diffAt: head.length };
  return isPublic === undefined ? named : { ...named, public: true };
}

function parse(json: string): SliceMessage {
  return sliceMessage.parse(JSON.parse(json));
}

/** Parses the diff. Throws on invalid JSON. */
export function diffOf({ json, diffAt }: RawSlice): Record<string, unknown> {
  return JSON.parse(json.slice(diffAt, -1)) as Record<string, unknown>;
}

/** The diff as JSON with additional fields after its last one. */
export function diffWith({ json, diffAt }: RawSlice, fields: Readonly<Record<string, unknown>>): string {
  const diff = json.slice(diffAt, -2);
  return `${diff}${diff === '{' ? '' : ','}${JSON.stringify(fields).slice(1)}`;
}
