// The first tasks of a file.

import { dueLabel, messages, titleOf } from '../messages/messages.ts';
import { files as texts } from '../messages/texts/files.ts';
import { StatusGlyph } from '../panel/status-glyph.tsx';
import type { PreviewRow } from '../transfer/file-messages.ts';

export function PreviewTable({ rows }: { readonly rows: readonly PreviewRow[] }) {
  const { columns } = texts;
  return (
    <table className="preview">
      <caption>{texts.first}</caption>
      <thead>
        <tr>
          <th scope="col">{columns.title}</th>
          <th scope="col">{columns.status}</th>
          <th scope="col">{columns.waitsFor}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows never change, and titles repeat.
          <tr key={place}>
            <td>
              <bdi>{titleOf(row)}</bdi>
              <RowFacts row={row} />
            </td>
            <td>
              <StatusGlyph status={row.status} /> {messages.status[row.status]}
            </td>
            <td>
              {texts.waits(
                row.waitsFor.map((title) => titleOf({ title })),
                row.waits - row.waitsFor.length,
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The further fields of a task, below its title. */
function RowFacts({ row: { dueDate, priority, volume, assignee } }: { readonly row: PreviewRow }) {
  if (dueDate === null && priority === 0 && volume === 0 && assignee.length === 0) return null;
  return (
    <span className="facts">
      {dueDate !== null && <span>{messages.due(dueLabel(dueDate))}</span>}
      {priority > 0 && <span>{texts.priority(priority)}</span>}
      {volume > 0 && <span>{messages.effort(volume)}</span>}
      {assignee.length > 0 && <span>{messages.list(assignee)}</span>}
    </span>
  );
}
