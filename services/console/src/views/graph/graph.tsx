// The graph as a picture: a canvas below, near cards as elements above it, and buttons for the
// camera. Only the reader moves the camera.
import { type KeyboardEvent, type MouseEvent, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { blockersOf } from '../../graph/blockers.ts';
import { isPrimary } from '../../graph/task.ts';
import { goTo } from '../../history.ts';
import { at } from '../../layout/graph-arrays.ts';
import { CARD_HEIGHT, CARD_WIDTH, COLUMN_WIDTH } from '../../layout/rows.ts';
import { messages } from '../../messages/messages.ts';
import { Card } from '../../picture/card.tsx';
import { type Direction, type GraphPicture, type NearCards, startGraphPicture } from '../../picture/graph-picture.ts';
import { followPointers } from '../../picture/pointer-moves.ts';
import { onThemeChange, themeOf } from '../../picture/theme.ts';
import { pathOf } from '../../routes.ts';
import { note } from '../../session/notices.ts';
import { type Linking, LinkOverlay, useLinking } from './linking.tsx';
import { PictureExport } from './picture-export.tsx';
import '../../style/graph.css';
import { useSelectable, useSelection } from '../../session/selection.ts';
import { useFilter, useShownTasks } from '../../session/shown-tasks.tsx';
import { useGraphText, useWorkspace } from '../../session/workspace.tsx';

const ZOOM_STEP = 1.3;
const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

export function GraphView({ chosen }: { readonly chosen: string | null }) {
  const { graph: texts } = messages;
  const region = useRef<HTMLElement>(null);
  const press = useRef<(id: string) => void>(() => undefined);
  const picture = usePicture(region, press);
  const near = useNearCards(picture);
  const critical = useCritical();
  const [focused, setFocused] = useState<string | null>(null);
  const isEmpty = useGraphText((_graph, index) => index.counts().join(' ')) === '0 0 0 0';
  const shown = useShownTasks();
  const { isOn } = useFilter();
  const version = shown.version();
  const selection = useSelection();
  useSelectable(() => [[...shown.ids()]]);
  const linking = useLinking({
    pointAt: ({ clientX, clientY }) => {
      const { left = 0, top = 0 } = region.current?.getBoundingClientRect() ?? {};
      return { x: clientX - left, y: clientY - top };
    },
    nodeAt: (point) => picture?.nodeAt(point) ?? null,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says that other tasks meet the filter.
  useEffect(
    () => picture?.setHighlights({ critical, chosen, selection, matches: linking.targets ?? (isOn ? shown : null) }),
    [picture, critical, chosen, selection, isOn, shown, version, linking.targets],
  );
  useFocus(region, near, focused);

  const walk = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = DIRECTIONS[event.key];
    if (picture === null || (event.target as Element).closest('.camera') !== null) return;
    if (event.key === 'Escape' && linking.draft !== null) {
      event.stopPropagation();
      return linking.cancel();
    }
    const here = taskAt(event.target);
    if (event.key === 'l' && here !== null) return linking.beginByKeys(here);
    if (direction === undefined) return moveCamera(picture, event.key);
    event.preventDefault();
    const from = here ?? focused ?? chosen;
    const next = from === null ? firstId(near) : picture.neighbour(from, direction);
    if (next === null) return;
    picture.show(next);
    setFocused(next);
    linking.point(next);
  };
  press.current = (id) => {
    // The field of a new task has a title that a link to another task would drop.
    if (linking.draft !== null && linking.draft.way !== 'title') return linking.finish(id);
    setFocused(id);
    goTo(pathOf({ view: 'task', id }));
  };
  const choose = (event: MouseEvent) => {
    const id = taskAt(event.target);
    if (id !== null) press.current(id);
  };
  const stop = stopOf(near, focused ?? chosen);

  return (
    <section
      className="picture"
      ref={region}
      aria-label={texts.title}
      aria-describedby="graph-help"
      aria-busy={near === null}
      onKeyDown={walk}
      onClick={choose}
    >
      <h1 className="unseen">{texts.title}</h1>
      <p className="unseen" id="graph-help">
        {texts.help}
      </p>
      <div className="drawing" aria-hidden="true">
        <canvas />
      </div>
      <div className="layer">
        <ul aria-label={texts.cards}>
          {near !== null && <Cards near={near} chosen={chosen} stop={stop} critical={critical} linking={linking} />}
        </ul>
      </div>
      <LinkOverlay linking={linking} />
      {isEmpty && <p className="hint">{messages.ready.first}</p>}
      {picture !== null && <CameraButtons picture={picture} />}
      {picture !== null && <PictureExport picture={picture} critical={critical} />}
    </section>
  );
}

interface CardsProps {
  readonly near: NearCards;
  readonly chosen: string | null;
  readonly stop: string | null;
  readonly critical: ReadonlySet<string>;
  readonly linking: Linking;
}

function Cards({ near, chosen, stop, critical, linking: { targets, port } }: CardsProps) {
  const { replica, graph } = useWorkspace();
  const shown = useShownTasks();
  const selection = useSelection();
  // A change of any task or link may change a card; there are at most a few hundred.
  useSyncExternalStore(
    useMemo(() => (changed: () => void) => replica.subscribe(({ revision }) => revision, changed), [replica]),
    () => replica.snapshot().revision,
  );
  const { layout, ids } = near.scene;
  return near.nodes.map((node) => {
    const id = ids[node] as string;
    const task = graph.task(id);
    if (task === undefined) return null;
    return (
      <Card
        key={id}
        task={task}
        x={at(layout.columns, node) * COLUMN_WIDTH - CARD_WIDTH / 2}
        y={at(layout.rows, node) - CARD_HEIGHT / 2}
        isChosen={id === chosen}
        isSelected={selection.has(id)}
        isStop={id === stop}
        isCritical={critical.has(id)}
        isOutside={!shown.has(id)}
        isFaint={targets !== null && !targets.has(id)}
        port={port}
        waitsFor={blockersOf(graph, id).length}
        holdsUp={graph.outgoing(id).filter(isPrimary).length}
      />
    );
  });
}

function CameraButtons({ picture }: { readonly picture: GraphPicture }) {
  const { graph: texts } = messages;
  return (
    <div className="camera" role="toolbar" aria-label={texts.camera}>
      <button type="button" aria-label={texts.zoomIn} onClick={() => picture.zoomBy(ZOOM_STEP)}>
        +
      </button>
      <button type="button" aria-label={texts.zoomOut} onClick={() => picture.zoomBy(1 / ZOOM_STEP)}>
        −
      </button>
      <button type="button" onClick={() => picture.fit()}>
        {texts.fit}
      </button>
    </div>
  );
}

function moveCamera(picture: GraphPicture, key: string): void {
  if (key === '+' || key === '=') picture.zoomBy(ZOOM_STEP);
  else if (key === '-') picture.zoomBy(1 / ZOOM_STEP);
  else if (key === '0') picture.fit();
}

/** Starts the picture once its elements exist, and ends it with the view. */
function usePicture(
  region: { readonly current: HTMLElement | null },
  press: { readonly current: (id: string) => void },
): GraphPicture | null {
  const { replica } = useWorkspace();
  const [picture, setPicture] = useState<GraphPicture | null>(null);
  useEffect(() => {
    const element = region.current;
    const canvas = element?.querySelector('canvas');
    const layer = element?.querySelector<HTMLElement>('.layer');
    if (element === null || canvas === null || canvas === undefined || layer === null || layer === undefined) return;
    const failed = (message: string) => note('refused', messages.graph.failed(message));
    const started = startGraphPicture({ replica, canvas, layer, theme: themeOf(element), failed });
    const sizes = new ResizeObserver(() =>
      started.resize({ width: element.clientWidth, height: element.clientHeight }),
    );
    sizes.observe(element);
    const ends = [
      followPointers(element, {
        pan: started.panBy,
        zoom: started.zoomBy,
        click(point) {
          const id = started.nodeAt(point);
          if (id !== null) press.current(id);
        },
      }),
      onThemeChange(() => started.setTheme(themeOf(element))),
      () => sizes.disconnect(),
      started.stop,
    ];
    setPicture(started);
    return () => {
      for (const end of ends) end();
      setPicture(null);
    };
  }, [replica, region, press]);
  return picture;
}

function useNearCards(picture: GraphPicture | null): NearCards | null {
  return useSyncExternalStore(
    useMemo(() => picture?.subscribe ?? (() => () => undefined), [picture]),
    () => picture?.cards() ?? null,
  );
}

function useCritical(): ReadonlySet<string> {
  const { plan } = useWorkspace();
  return useMemo(() => new Set(plan?.critical), [plan]);
}

/** Moves the focus to the card of a task as soon as it has an element. */
function useFocus(region: { readonly current: HTMLElement | null }, near: NearCards | null, id: string | null): void {
  const done = useRef<string | null>(null);
  useEffect(() => {
    if (id === null || done.current === id || near === null) return;
    const card = region.current?.querySelector<HTMLElement>(`[data-task="${CSS.escape(id)}"]`);
    if (card === undefined || card === null) return;
    done.current = id;
    card.focus({ preventScroll: true });
  }, [region, near, id]);
}

function taskAt(target: EventTarget): string | null {
  return (target as Element).closest<HTMLElement>('[data-task]')?.dataset.task ?? null;
}

function firstId(near: NearCards | null): string | null {
  const [first] = near?.nodes ?? [];
  return first === undefined ? null : (near?.scene.ids[first] ?? null);
}

/** The card at which the Tab key stops: the one last used if it is near, else the first. */
function stopOf(near: NearCards | null, id: string | null): string | null {
  const number = id === null ? undefined : near?.scene.numberOf.get(id);
  return number !== undefined && near?.nodes.includes(number) === true ? id : firstId(near);
}
