// Deliberate faults in the service's sources, so that tests can show that they would be found. Vitest loads a module whose address ends
// in `?fault=...` with one piece of its text put in the place of another; without such an address nothing is ever changed.

/** One piece of text that stands in a source once, and what is put in its place. */
export interface Fault {
  /** Relative to the repository. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const MARK = '?fault=';

/** The address under which the faulty module is loaded. `repository` is an absolute path with a slash at its end. */
export function faultyModule(repository: string, { file, find, replace }: Fault): string {
  return `${repository}${file}${MARK}${encodeURIComponent(JSON.stringify({ find, replace }))}`;
}

/** The plugin that puts a fault in. It fails where the text to be replaced is not there exactly once: the fault would be none. */
export function faults() {
  return {
    name: 'faults',
    enforce: 'pre' as const,
    transform(code: string, id: string): string | null {
      const at = id.indexOf(MARK);
      if (at < 0) return null;
      const { find, replace } = JSON.parse(decodeURIComponent(id.slice(at + MARK.length))) as Fault;
      const times = code.split(find).length - 1;
      if (times !== 1) throw new Error(`the text of the fault stands ${times} times in ${id.slice(0, at)}: ${find}`);
      return code.replace(find, () => replace);
    },
  };
}
