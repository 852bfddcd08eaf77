// How a table is read: the field of each column, the order of day and month in dates, and whether a cell
// that cannot be read refuses the table. Rules: CON28, IO10.
import type { ReadOptions, TableColumn } from '@taskgraph/client/transfer';
import { useId } from 'react';
import { files as texts } from '../messages/texts/files.ts';

/** Columns that are listed. A table can have 1,000. */
const MOST_COLUMNS = 100;
/** Columns up to which the list is open at first. */
const MOST_OPEN = 12;
/** The word for a column that is not read. */
const NONE = 'none';
const ORDERS = ['day-first', 'month-first'] as const;

interface TableReadingProps {
  /** None if the table cannot be read. */
  readonly columns: readonly TableColumn[];
  readonly reading: ReadOptions;
  readonly onChange: (reading: ReadOptions) => void;
}

export function TableReading({ columns, reading, onChange }: TableReadingProps) {
  const id = useId();
  const { columns: mapped, dates, strict } = reading;
  const change = (changed: Options) => onChange(optionsOf({ columns: mapped, dates, strict, ...changed }));
  return (
    <fieldset className="table-reading">
      <legend>{texts.table}</legend>
      {columns.length > 0 && (
        <ColumnFields columns={columns} onChoose={(head, field) => change({ columns: { ...mapped, [head]: field } })} />
      )}
      {mapped !== undefined && (
        <p>
          <button type="button" onClick={() => change({ columns: undefined })}>
            {texts.usualFields}
          </button>
        </p>
      )}
      <p className="files-format">
        <label htmlFor={id}>{texts.dates}</label>
        <select
          id={id}
          value={dates ?? ''}
          onChange={({ target }) => change({ dates: ORDERS.find((order) => order === target.value) })}
        >
          <option value="">{texts.dateOrders.table}</option>
          {ORDERS.map((order) => (
            <option key={order} value={order}>
              {texts.dateOrders[order]}
            </option>
          ))}
        </select>
      </p>
      <label className="table-strict">
        <input
          type="checkbox"
          checked={strict === true}
          onChange={({ target }) => change({ strict: target.checked || undefined })}
        />
        {texts.strict}
      </label>
    </fieldset>
  );
}

type Options = { readonly [Name in keyof ReadOptions]?: ReadOptions[Name] | undefined };

/** Without the options that are as usual. */
function optionsOf({ columns, dates, strict }: Options): ReadOptions {
  return {
    ...(columns === undefined ? {} : { columns }),
    ...(dates === undefined ? {} : { dates }),
    ...(strict === undefined ? {} : { strict }),
  };
}

interface ColumnFieldsProps {
  readonly columns: readonly TableColumn[];
  readonly onChoose: (head: string, field: string) => void;
}

function ColumnFields({ columns, onChoose }: ColumnFieldsProps) {
  const id = useId();
  const read = columns.filter(({ field }) => field !== null).length;
  const more = columns.length - MOST_COLUMNS;
  return (
    <details open={columns.length <= MOST_OPEN}>
      <summary>{texts.columnsRead(read, columns.length)}</summary>
      <ul className="table-columns">
        {columns.slice(0, MOST_COLUMNS).map(({ head, field }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a file have no other name.
          <li key={place}>
            {head === '' ? (
              <>
                <span>{texts.noColumnName}</span>
                <span>{texts.notRead}</span>
              </>
            ) : (
              <>
                <label htmlFor={`${id}${place}`} dir="auto">
                  {head}
                </label>
                <select
                  id={`${id}${place}`}
                  value={field ?? NONE}
                  onChange={({ target }) => onChoose(head, target.value)}
                >
                  <option value={NONE}>{texts.notRead}</option>
                  {Object.entries(texts.fields).map(([name, text]) => (
                    <option key={name} value={name}>
                      {text}
                    </option>
                  ))}
                </select>
              </>
            )}
          </li>
        ))}
        {more > 0 && <li>{texts.more(more)}</li>}
      </ul>
    </details>
  );
}
