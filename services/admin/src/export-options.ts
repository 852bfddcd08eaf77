// The arguments of the commands that write and read exports.
import { parseArgs } from 'node:util';
import { MOST_RETAINED } from './export-folder.ts';

/** One file, or the newest export of a folder. */
export type ExportSource = { readonly file: string } | { readonly folder: string };

/** With a folder, the name follows from the time, and only the newest exports are retained. */
export type ExportOptions = { readonly file: string } | { readonly folder: string; readonly retain: number };

const EXPORT_USAGE = 'usage: npm run export -- --file F, or --folder D --retain N';

/** Throws an error for people if an argument is missing or wrong. */
export function readExportOptions(given: readonly string[]): ExportOptions {
  const options = { file: { type: 'string' }, folder: { type: 'string' }, retain: { type: 'string' } } as const;
  const { file, folder, retain } = parse(given, options, EXPORT_USAGE);
  if (file !== undefined && folder === undefined && retain === undefined) return { file };
  if (file !== undefined || folder === undefined || retain === undefined) throw new Error(EXPORT_USAGE);
  return { folder, retain: readNumber('--retain', retain, MOST_RETAINED) };
}

const MOST_HOURS = 10_000;

export interface VerifyOptions {
  readonly source: ExportSource;
  /** Null: exports of any age are good. */
  readonly maxAgeHours: number | null;
}

const VERIFY_USAGE = 'usage: npm run verify-export -- --file F, or --folder D; --max-age-hours N';

/** Throws an error for people if an argument is missing or wrong. */
export function readVerifyOptions(given: readonly string[]): VerifyOptions {
  const options = {
    file: { type: 'string' },
    folder: { type: 'string' },
    'max-age-hours': { type: 'string' },
  } as const;
  const { file, folder, 'max-age-hours': hours } = parse(given, options, VERIFY_USAGE);
  return {
    source: sourceOf(file, folder, VERIFY_USAGE),
    maxAgeHours: hours === undefined ? null : readNumber('--max-age-hours', hours, MOST_HOURS),
  };
}

const IMPORT_USAGE = 'usage: npm run import -- --file F, or --folder D';

/** Throws an error for people if an argument is missing or wrong. */
export function readImportOptions(given: readonly string[]): ExportSource {
  const { file, folder } = parse(given, { file: { type: 'string' }, folder: { type: 'string' } }, IMPORT_USAGE);
  return sourceOf(file, folder, IMPORT_USAGE);
}

function sourceOf(file: string | undefined, folder: string | undefined, usage: string): ExportSource {
  if (file !== undefined && folder === undefined) return { file };
  if (folder !== undefined && file === undefined) return { folder };
  throw new Error(usage);
}

function parse<Name extends string>(
  given: readonly string[],
  options: Readonly<Record<Name, { readonly type: 'string' }>>,
  usage: string,
): Partial<Record<Name, string>> {
  try {
    return parseArgs({ args: [...given], options }).values as Partial<Record<Name, string>>;
  } catch {
    throw new Error(usage);
  }
}

function readNumber(name: string, text: string, most: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > most)
    throw new Error(`${name} must be a whole number from 1 to ${most}, not "${text}".`);
  return number;
}
