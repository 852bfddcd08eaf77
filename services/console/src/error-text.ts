/** The message of an error that no service sent, as the browser words it. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
