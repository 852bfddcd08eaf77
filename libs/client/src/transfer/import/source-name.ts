// The names of sources of imports. Rule: IO12.

/** UTF-16 units of a name (wire's IMPORT_SOURCE_LENGTH). */
export const LONGEST_SOURCE_NAME = 200;

/**
 * The name of the source of a file, unless its user gives another: the format and the name of the file.
 * Systems write the same name in several normal forms.
 */
export function sourceNameOf(format: string, fileName: string): string {
  const name = `${format} ${fileName}`.normalize('NFC').replaceAll('\0', '');
  return name.slice(0, LONGEST_SOURCE_NAME).toWellFormed();
}
