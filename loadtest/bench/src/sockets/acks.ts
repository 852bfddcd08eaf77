// Reads the text of an ack.

/** Whether the call was refused. To parse every ack would take a client that sends thousands a second as long as sending them. */
export function isRefused(ack: string): boolean {
  return ack.startsWith('[{"ok":false');
}
