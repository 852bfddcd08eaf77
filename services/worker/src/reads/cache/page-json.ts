// Encodes pages as JSON in steps, so that other work does not wait for a whole page. Rule: GEN11.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Most characters of one turn of the event loop, roughly. */
const CHARACTERS_AT_ONCE = 256 * 1024;

/**
 * The JSON of an object, in pieces. Lists are encoded item by item, so a turn exceeds its bound by
 * at most one item.
 */
export async function jsonPieces(body: Readonly<Record<string, unknown>>): Promise<Uint8Array[]> {
  const parts: Buffer[] = [];
  let text = '{';
  const write = async (more: string) => {
    text += more;
    if (text.length < CHARACTERS_AT_ONCE) return;
    parts.push(Buffer.from(text));
    text = '';
    await nextTurn();
  };
  let comma = '';
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    text += `${comma}${JSON.stringify(name)}:`;
    comma = ',';
    if (!Array.isArray(value)) {
      await write(JSON.stringify(value));
      continue;
    }
    text += '[';
    for (let index = 0; index < value.length; index++) {
      const item = `${index > 0 ? ',' : ''}${JSON.stringify(value[index])}`;
      // Most items do not end the turn, and need no await.
      if (text.length + item.length < CHARACTERS_AT_ONCE) text += item;
      else await write(item);
    }
    text += ']';
  }
  parts.push(Buffer.from(`${text}}`));
  return parts;
}
