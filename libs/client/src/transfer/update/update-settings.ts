// Compares the settings of an update with those of the import. Rule: IO12.
import type { ImportSource } from '@taskgraph/wire/public-types';
import type { ImportStart } from '../../account/imports.ts';
import { ImportError } from '../import/part-sender.ts';

const SETTINGS = { format: 'format', reading: 'reading options', under: 'parent', origin: 'file' } as const;

export function settingsError(differs: readonly string[], cause?: unknown): ImportError {
  const names = differs.map((name) => SETTINGS[name as keyof typeof SETTINGS] ?? name);
  const message = `The earlier import of this source had another ${names.join(' and another ')}.`;
  return new ImportError('import.other_settings', message, 0, cause);
}

/** Like the service when an update or its undo begins. Settings that are not given are not compared. */
export function refuseSettings(
  source: ImportSource,
  settings: Pick<ImportStart, 'format' | 'reading' | 'under' | 'origin'>,
): void {
  const differs = Object.entries(settings).flatMap(([name, value]) => {
    const known = source[name as keyof typeof settings] ?? '';
    return known === value || (name === 'origin' && known === '') ? [] : [name];
  });
  if (differs.length > 0) throw settingsError(differs);
}
