// The sign of a status. It differs in form as well as in colour, and a word stands next to it.
const GLYPHS = ['○', '◐', '⊘', '✓'];

export function StatusGlyph({ status }: { readonly status: number }) {
  return (
    <span className="glyph" data-status={status} aria-hidden="true">
      {GLYPHS[status] ?? '?'}
    </span>
  );
}
