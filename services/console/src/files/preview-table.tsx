// The first tasks of a file.

import { messages, titleOf } from '../messages/messages.ts';
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
            <td dir="auto">{titleOf(row)}</td>
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
