// A field with a list of options that its text finds: a combobox (ARIA pattern). The focus stays in
// the field.
import {
  type KeyboardEvent,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useGraphText } from '../session/workspace.tsx';
import '../style/combobox.css';

interface ComboboxProps<O> {
  readonly label: string;
  /** Whether the label shows. It is read in any case. */
  readonly hasLabel?: boolean;
  /** A text below the field. */
  readonly help: (options: number) => string;
  readonly listLabel: string;
  readonly text: string;
  readonly mostCharacters: number;
  /** Another function finds the options again. */
  readonly optionsFor: (text: string) => readonly O[];
  readonly keyOf: (option: O) => string;
  /** Whether it is still there: a task may leave while it is listed. */
  readonly isThere: (option: O) => boolean;
  /** Whether it cannot be chosen. `onChoose` says why. */
  readonly isRefused?: (option: O) => boolean;
  readonly onWrite: (text: string) => void;
  readonly onChoose: (option: O) => void;
  /** Without it, Escape belongs to the dialog around the field. */
  readonly onEscape?: () => void;
  readonly children: (option: O) => ReactNode;
}

export function Combobox<O>(props: ComboboxProps<O>) {
  const { label, hasLabel = true, help, listLabel, text, mostCharacters, optionsFor, keyOf, isThere } = props;
  const { isRefused = () => false, onWrite, onChoose, onEscape, children } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  /** The key of an option; null for the first one. */
  const [active, setActive] = useState<string | null>(null);
  const listed = useDeferredValue(text);
  const found = useMemo(() => optionsFor(listed), [optionsFor, listed]);
  useGraphText(() => found.map((option) => Number(isThere(option))).join(''));
  const options = found.filter(isThere);
  const place = Math.max(
    0,
    options.findIndex((option) => keyOf(option) === active),
  );
  useEffect(() => input.current?.focus(), []);

  const choose = (option: O | undefined) => {
    if (option === undefined) return;
    setActive(null);
    onChoose(option);
  };
  const step = (by: number) => {
    const option = options[(place + by + options.length) % options.length];
    if (option !== undefined) setActive(keyOf(option));
  };
  const press = (event: KeyboardEvent) => {
    // The list may still be that of an earlier text.
    const chosen = () => (listed === text ? options[place] : optionsFor(text)[0]);
    const acts: Readonly<Record<string, (() => void) | undefined>> = {
      ArrowDown: () => step(1),
      ArrowUp: () => step(-1),
      Enter: () => choose(chosen()),
      Escape: onEscape,
    };
    const act = acts[event.key];
    // An input method uses these keys for its own candidates.
    if (act === undefined || event.nativeEvent.isComposing) return;
    // Enter sends the form around the field then.
    if (event.key === 'Enter' && chosen() === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return (
    <>
      <label htmlFor={id} className={hasLabel ? undefined : 'unseen'}>
        {label}
      </label>
      <input
        ref={input}
        id={id}
        type="text"
        role="combobox"
        autoComplete="off"
        aria-expanded={options.length > 0}
        aria-controls={`${id}list`}
        aria-autocomplete="list"
        aria-activedescendant={options.length === 0 ? undefined : `${id}${place}`}
        aria-describedby={`${id}help`}
        maxLength={mostCharacters}
        placeholder={hasLabel ? undefined : label}
        value={text}
        onChange={({ target }) => {
          setActive(null);
          onWrite(target.value);
        }}
        onKeyDown={press}
      />
      <p className="quiet" id={`${id}help`} role="status">
        {help(options.length)}
      </p>
      <div role="listbox" id={`${id}list`} aria-label={listLabel} className="options">
        {options.map((option, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field of the combobox.
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys belong to the field of the combobox.
          <div
            key={keyOf(option)}
            role="option"
            id={`${id}${index}`}
            className="option"
            aria-selected={index === place}
            aria-disabled={isRefused(option)}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(option)}
          >
            {children(option)}
          </div>
        ))}
      </div>
    </>
  );
}
