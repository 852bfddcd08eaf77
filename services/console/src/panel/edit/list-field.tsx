// A field that is a list of texts: its items, each with a button to remove it, and a field to add
// one. An item is saved by itself, so that two people can change one list at once.
import { type KeyboardEvent, type RefObject, useId, useRef } from 'react';
import { MOST_ITEMS } from '../../graph/limits.ts';
import type { Task } from '../../graph/task.ts';
import { messages, titleOf } from '../../messages/messages.ts';
import { edit } from '../../messages/texts/edit.ts';
import { changeList, type ListField as ListFieldName } from '../../session/field-edits.ts';
import { note } from '../../session/notices.ts';
import { useWorkspace } from '../../session/workspace.tsx';
import { MOST_ITEM_CHARACTERS } from './field-forms.ts';
import { useTypedText } from './typed-text.ts';

interface ListFieldProps {
  readonly task: Task;
  readonly field: ListFieldName;
}

export function ListField({ task, field }: ListFieldProps) {
  const { replica } = useWorkspace();
  const id = useId();
  const { text, setText, giveBack } = useTypedText();
  const input = useRef<HTMLInputElement>(null);
  const items = task[field] ?? [];
  const isFull = items.length >= MOST_ITEMS;
  const add = (item: string) => {
    const added = item.trim();
    if (added === '' || isFull) return;
    setText('');
    if (!items.includes(added)) void save(added);
  };
  const save = async (added: string) => {
    if (await changeList(replica, task.id, field, { add: added })) return;
    if (!giveBack(added)) note('refused', edit.written(edit.fields[field], titleOf(task), added));
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') add(text);
    else if (event.key === 'Escape' && text !== '') setText('');
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const me = field === 'assignee' ? replica.username : null;
  return (
    <div className="edit-field">
      <label htmlFor={id}>{field === 'tags' ? messages.panel.tags : messages.panel.assignee}</label>
      <div>
        <Items task={task} field={field} items={items} input={input} />
        <span className="with-button">
          <input
            id={id}
            ref={input}
            type="text"
            autoComplete="off"
            placeholder={isFull ? edit.full(MOST_ITEMS) : field === 'tags' ? edit.addTag : edit.addPerson}
            aria-disabled={isFull}
            maxLength={MOST_ITEM_CHARACTERS[field]}
            value={text}
            onChange={({ target }) => setText(target.value)}
            onBlur={() => add(text)}
            onKeyDown={press}
          />
          {me !== null && !items.includes(me) && !isFull && (
            <button type="button" className="plain" onClick={() => add(me)}>
              {edit.assignMe}
            </button>
          )}
        </span>
      </div>
    </div>
  );
}

interface ItemsProps extends ListFieldProps {
  readonly items: readonly string[];
  readonly input: RefObject<HTMLInputElement | null>;
}

function Items({ task, field, items, input }: ItemsProps) {
  const { replica } = useWorkspace();
  if (items.length === 0) return null;
  return (
    <ul className="items">
      {items.map((item) => (
        <li key={item}>
          <span dir="auto">{item}</span>
          <button
            type="button"
            className="plain"
            aria-label={edit.remove(item)}
            onClick={() => {
              input.current?.focus();
              void changeList(replica, task.id, field, { remove: item });
            }}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
