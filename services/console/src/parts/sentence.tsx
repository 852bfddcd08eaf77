// A text with the messages of the service in it. On a page in another language these say that they are in
// English, so that they are read aloud and hyphenated so. Rule: CON44.
import { partsOf } from '../messages/isolated.ts';

export function Sentence({ text }: { readonly text: string }) {
  return partsOf(text).map((part, place) =>
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
