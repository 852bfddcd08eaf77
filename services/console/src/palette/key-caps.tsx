// The name of a key, as it is drawn and read.
import { paletteTexts } from '../messages/texts/palette.ts';

/** `name` is that of a KeyTable; two keys after each other have a space between. */
export function KeyCaps({ name }: { readonly name: string }) {
  const [first = '', second] = name.split(' ');
  return (
    <span className="key-caps">
      <kbd>{first.replaceAll('+', ' + ')}</kbd>
      {second !== undefined && (
        <>
          {' '}
          <span className="quiet">{paletteTexts.followedBy}</span> <kbd>{second}</kbd>
        </>
      )}
    </span>
  );
}
