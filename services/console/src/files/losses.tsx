// What a file or a format cannot hold, by kind, with the first places.
import { englishText } from '../messages/messages.ts';
import { files as texts } from '../messages/texts/files.ts';
import { MixedText } from '../parts/mixed-text.tsx';
import type { ShownLoss } from '../transfer/file-messages.ts';

/** Kinds that are listed. Names from files, such as those of columns, are kinds too. */
const MOST_KINDS = 100;

export function Losses({ title, losses }: { readonly title: string; readonly losses: readonly ShownLoss[] }) {
  const more = losses.length - MOST_KINDS;
  return (
    <details open={losses.length <= 3}>
      <summary>{title}</summary>
      <ul className="losses">
        {losses.slice(0, MOST_KINDS).map(({ what, count, places }) => (
          <li key={what}>
            <MixedText text={texts.loss(englishText(what), count, places)} />
          </li>
        ))}
        {more > 0 && <li>{texts.more(more)}</li>}
      </ul>
    </details>
  );
}
