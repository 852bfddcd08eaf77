// Imports of invalid files fail with a message that has the line and the reason.
import { type ImportFormat, readFile } from '../../transfer/formats.ts';
import { BrokenFile } from '../../transfer/graph/transfer-graph.ts';

/** The message of the error, or a fixed text if the file is valid. */
export function refusalOf(text: string, format: ImportFormat): string {
  try {
    readFile(text, format);
  } catch (error) {
    if (error instanceof BrokenFile) return error.message;
    throw error;
  }
  return 'it was accepted';
}
