// Reads the text of an ack.

/**
 * Whether the call was refused. Parsing every ack would cost a client with thousands of calls a
 * second as much as sending them.
 */
export function isRefused(ack: string): boolean {
  return ack.startsWith('[{"ok":false');
}
