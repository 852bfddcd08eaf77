// The text of a field that is emptied when its text is sent.
import { useCallback, useEffect, useRef, useState } from 'react';

export function useTypedText() {
  const [text, setShown] = useState('');
  /** The present text; null when the field is gone. */
  const latest = useRef<string | null>('');
  useEffect(() => {
    latest.current = '';
    return () => {
      latest.current = null;
    };
  }, []);
  const setText = useCallback((next: string) => {
    latest.current = next;
    setShown(next);
  }, []);
  /** Shows a text that was refused, unless the reader has written another one. Returns whether it does. */
  const giveBack = useCallback(
    (refused: string) => {
      if (latest.current !== '') return false;
      setText(refused);
      return true;
    },
    [setText],
  );
  return { text, setText, giveBack };
}
