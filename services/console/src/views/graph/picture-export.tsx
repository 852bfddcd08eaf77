// The picture for exports and for paper: while the graph shows, an export can have it; a print has the
// whole graph, fitted to the page, in black on white.
import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { messages } from '../../messages/messages.ts';
import { offerPicture } from '../../picture/current-picture.ts';
import { svgPictureOf } from '../../picture/export-svg.ts';
import type { GraphPicture } from '../../picture/graph-picture.ts';
import { svgElement } from '../../picture/svg-element.ts';
import { themeOf } from '../../picture/theme.ts';
import { useIsPrinting } from '../../print.ts';
import { useShownTasks } from '../../session/shown-tasks.tsx';

const PAPER = {
  ground: '#ffffff',
  text: '#000000',
  dim: '#333333',
  border: '#555555',
  statuses: ['#000000', '#777777', '#ffffff', '#bbbbbb'],
};

interface PictureExportProps {
  readonly picture: GraphPicture;
  readonly critical: ReadonlySet<string>;
}

export function PictureExport({ picture, critical }: PictureExportProps) {
  const paper = useRef<HTMLDivElement>(null);
  const shown = useShownTasks();
  const isPrinting = useIsPrinting();
  const scene = useSyncExternalStore(picture.subscribe, picture.scene);
  useEffect(
    () =>
      offerPicture(() => {
        const element = paper.current;
        return scene === null || element === null ? null : { scene, theme: themeOf(element), critical, shown };
      }),
    [scene, critical, shown],
  );
  useLayoutEffect(() => {
    const element = paper.current;
    if (!isPrinting || scene === null || element === null) return;
    const drawn = svgPictureOf({ scene, theme: PAPER, critical, shown }, messages.graph.title);
    if (drawn === null) return;
    element.append(svgElement(drawn.root));
    return () => element.replaceChildren();
  }, [scene, critical, shown, isPrinting]);
  return <div className="paper" ref={paper} />;
}
