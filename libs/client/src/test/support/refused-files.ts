// The refusal of a file that cannot be imported.
import { type ImportFormat, readFile } from '../../transfer/formats.ts';
import { BrokenFile } from '../../transfer/graph/transfer-graph.ts';

/** The message of the refusal, with line and reason; another text if the file is accepted. */
export function refusalOf(text: string, format: ImportFormat): string {
  try {
    readFile(text, format);
  } catch (error) {
    if (error instanceof BrokenFile) return error.message;
    throw error;
  }
  return 'it was accepted';
}
