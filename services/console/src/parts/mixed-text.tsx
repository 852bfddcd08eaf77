// Shows a text. English parts of a text in another language get `lang` and `dir`, so that screen readers
// pronounce them as English. Rule: CON44.
import { splitMarked } from '../messages/isolated.ts';

export function MixedText({ text }: { readonly text: string }) {
  return splitMarked(text).map((part, place) =>
    place % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other name.
      <span key={place} lang="en" dir="ltr">
        {part}
      </span>
    ),
  );
}
