// Who changed the fields of a task while its panel is open, by the pushes that arrive.
import type { Slice } from '@taskgraph/client';
import { useEffect, useState } from 'react';
import { useWorkspace } from '../../session/workspace.tsx';

/** The name of the last user who changed a field, by field. */
export type FieldActors = Readonly<Record<string, string>>;

export function useFieldActors(id: string): FieldActors {
  const { replica } = useWorkspace();
  const [actors, setActors] = useState<FieldActors>({});
  useEffect(
    () =>
      replica.on('slice', ({ actor, nodes }: Slice) => {
        if (actor === undefined) return;
        const fields = nodes.filter(({ after }) => after.id === id).flatMap(({ after }) => Object.keys(after));
        if (fields.length === 0) return;
        const changed = Object.fromEntries(fields.map((field) => [field, actor.username]));
        setActors((known) => Object.assign({}, known, changed));
      }),
    [replica, id],
  );
  return actors;
}
