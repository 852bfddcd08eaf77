// Deliberate faults in the service's sources, so that tests can show that other tests detect them.
// Vitest loads a module whose address ends in `?fault=...` with one piece of its text replaced.
// Other addresses are never changed.

/** A text that occurs once in a source, and its replacement. */
export interface Fault {
  /** Relative to the repository. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const MARK = '?fault=';

/** The address of the faulty module. `repository` is an absolute path with a slash at its end. */
export function faultyModule(repository: string, { file, find, replace }: Fault): string {
  return `${repository}${file}${MARK}${encodeURIComponent(JSON.stringify({ find, replace }))}`;
}

/**
 * The plugin that inserts a fault. It fails unless the text occurs exactly once: otherwise there
 * would be no fault.
 */
export function faults() {
  return {
    name: 'faults',
    enforce: 'pre' as const,
    transform(code: string, id: string): string | null {
      const at = id.indexOf(MARK);
      if (at < 0) return null;
      const { find, replace } = JSON.parse(decodeURIComponent(id.slice(at + MARK.length))) as Fault;
      const times = code.split(find).length - 1;
      if (times !== 1) throw new Error(`the text of the fault occurs ${times} times in ${id.slice(0, at)}: ${find}`);
      return code.replace(find, () => replace);
    },
  };
}
