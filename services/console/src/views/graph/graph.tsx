// The graph as a picture: a canvas below, near cards or the tiles of branches as elements above it,
// and buttons. Only the reader moves the camera.

import type { Replica } from '@taskgraph/client';
import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { blockersOf } from '../../graph/blockers.ts';
import { isPrimary } from '../../graph/task.ts';
import { goTo } from '../../history.ts';
import { latinKey } from '../../key-names.ts';
import { at } from '../../layout/graph-arrays.ts';
import { CARD_HEIGHT, CARD_WIDTH } from '../../layout/rows.ts';
import { messages, titleOf } from '../../messages/messages.ts';
import { graphTexts } from '../../messages/texts/graph.ts';
import { BranchTile } from '../../picture/branch-tile.tsx';
import { Card } from '../../picture/card.tsx';
import { type CardMove, followCards } from '../../picture/card-moves.ts';
import type { ChangeMark, ChangeMarks } from '../../picture/change-marks.ts';
import { FanCard } from '../../picture/fan-card.tsx';
import type { SceneFan } from '../../picture/fans.ts';
import {
  type BranchTiles,
  type Direction,
  type GraphPicture,
  type NearCards,
  type PictureElements,
  startGraphPicture,
} from '../../picture/graph-picture.ts';
import { followPointers } from '../../picture/pointer-moves.ts';
import { onThemeChange, themeOf } from '../../picture/theme.ts';
import { pathOf } from '../../routes.ts';
import { note } from '../../session/notices.ts';
import { hasBranch, setCollapsed } from '../../session/placement.ts';
import { useCardPins } from './card-pins.ts';
import { type LinkEditor, LinkOverlay, useLinkEditor } from './link-editor.tsx';
import { PictureExport } from './picture-export.tsx';
import { useChangeMarks } from './use-change-marks.ts';
import '../../style/graph.css';
import { useSelectable, useSelection } from '../../session/selection.ts';
import { useFilter, useShownTasks } from '../../session/shown-tasks.tsx';
import { useIsEmpty, useReplicaState, useWorkspace } from '../../session/workspace.tsx';

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
  const dragged = useRef<(id: string) => CardMove | null>(() => null);
  const picture = usePicture(region, { press, dragged });
  const elements = useElements(picture);
  const critical = useCritical();
  const [focused, setFocused] = useState<string | null>(null);
  const isEmpty = useIsEmpty();
  const shown = useShownTasks();
  const { isOn } = useFilter();
  const version = shown.version();
  const selection = useSelection();
  // Cards have no order from which a range could follow: each is a list by itself.
  useSelectable(() => Array.from(shown.ids(), (id) => [id]));
  const changes = useChangeMarks();
  const linkEditor = useLinkEditor({
    pointAt: ({ clientX, clientY }) => {
      const { left = 0, top = 0 } = region.current?.getBoundingClientRect() ?? {};
      return { x: clientX - left, y: clientY - top };
    },
    nodeAt(point) {
      const id = picture?.nodeAt(point) ?? null;
      return id === null || (picture?.fanOf(id) ?? null) !== null ? null : id;
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says that other tasks meet the filter.
  useEffect(() => {
    const matches = linkEditor.targets ?? (isOn ? shown : null);
    picture?.setHighlights({ critical, chosen, selection, matches, changes });
  }, [picture, critical, chosen, selection, isOn, shown, version, linkEditor.targets, changes]);
  useFocus(region, elements, focused);
  const noteFocus = useGoneFan(region, picture, elements, setFocused);
  const pins = useCardPins(picture);
  dragged.current = pins.startDrag;

  const walk = (event: KeyboardEvent) => {
    const direction = DIRECTIONS[event.key];
    if (direction !== undefined && event.altKey && event.shiftKey && !event.ctrlKey && !event.metaKey) {
      const moved = taskAt(event.target);
      if (moved === null) return;
      event.preventDefault();
      return pins.step(moved, direction);
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (picture === null || (event.target as Element).closest('.camera, .collapse') !== null) return;
    if (event.key === 'Escape' && linkEditor.draft !== null) {
      event.stopPropagation();
      return linkEditor.cancel();
    }
    const task = taskAt(event.target);
    const here = task ?? otherCardAt(event.target);
    if (latinKey(event) === 'l' && task !== null) return linkEditor.beginByKeys(task);
    if (direction === undefined) return moveCamera(picture, event.key);
    event.preventDefault();
    const from = here ?? focused ?? chosen;
    const next =
      from === null ? firstId(elements) : (picture.neighbour(from, direction) ?? firstIfGone(elements, from));
    if (next === null) return;
    picture.show(next);
    setFocused(next);
    if (picture.fanOf(next) === null) linkEditor.point(next);
  };
  press.current = (id) => {
    if (elements?.kind === 'branches') return enter(id);
    if (picture !== null && picture.fanOf(id) !== null) {
      setFocused(id);
      return picture.toggleFan(id);
    }
    // The field of a new task has a title that a link to another task would drop.
    if (linkEditor.draft !== null && linkEditor.draft.way !== 'title') return linkEditor.finish(id);
    setFocused(id);
    goTo(pathOf({ view: 'task', id }));
  };
  /** The focus goes to the top of the branch, or to the button that leads back. */
  const enter = (id: string) => {
    picture?.enterBranch(id);
    setFocused(id);
    region.current?.querySelector<HTMLElement>('[data-act="branches"]')?.focus();
  };
  const choose = (event: MouseEvent) => {
    const id = taskAt(event.target) ?? otherCardAt(event.target);
    if (id !== null) press.current(id);
  };
  const stop = stopOf(elements, focused ?? chosen);
  const isFar = elements?.kind === 'branches';

  return (
    <section
      className="picture"
      ref={region}
      aria-label={texts.title}
      aria-describedby="graph-help"
      aria-busy={elements === null}
      data-elements={elements?.kind}
      onKeyDown={walk}
      onKeyUp={pins.endSteps}
      onFocus={noteFocus}
      onBlur={pins.endSteps}
      onClick={choose}
    >
      <h1 className="unseen">{texts.title}</h1>
      <p className="unseen" id="graph-help">
        {graphTexts.help}
      </p>
      <div className="drawing" aria-hidden="true">
        <canvas />
      </div>
      <div className="layer">
        <ul aria-label={isFar ? graphTexts.tiles : graphTexts.cards}>
          {elements?.kind === 'cards' && (
            <Cards
              near={elements}
              chosen={chosen}
              stop={stop}
              critical={critical}
              linkEditor={linkEditor}
              changes={changes}
            />
          )}
          {isFar && <Tiles tiles={elements} stop={stop} />}
        </ul>
      </div>
      <LinkOverlay editor={linkEditor} />
      {isEmpty && <p className="hint">{messages.ready.first}</p>}
      {picture !== null && <PictureButtons picture={picture} isFar={isFar} onTidy={pins.unpinAll} />}
      {picture !== null && <PictureExport picture={picture} critical={critical} />}
    </section>
  );
}

interface CardsProps {
  readonly near: NearCards;
  readonly chosen: string | null;
  readonly stop: string | null;
  readonly critical: ReadonlySet<string>;
  readonly linkEditor: LinkEditor;
  readonly changes: ChangeMarks;
}

function Cards({ near, chosen, stop, critical, linkEditor: { targets, port }, changes }: CardsProps) {
  const { replica, graph } = useWorkspace();
  const shown = useShownTasks();
  const { isOn } = useFilter();
  const isOffline = useReplicaState() === 'offline';
  const selection = useSelection();
  // A change of any task or link may change a card; there are at most a few hundred.
  useSyncExternalStore(
    useMemo(() => (changed: () => void) => replica.subscribe(({ revision }) => revision, changed), [replica]),
    () => replica.snapshot().revision,
  );
  const collapse = useCallback(
    (id: string, collapsed: boolean) => void setCollapsed(replica, graph, id, collapsed),
    [replica, graph],
  );
  const textOf = (mark: ChangeMark) =>
    mark === 'waiting' && !isOffline ? graphTexts.changes.sent : graphTexts.changes[mark];
  const { layout, ids, hiddenBelow, fans } = near.scene;
  return near.nodes.map((node) => {
    const id = ids[node] as string;
    const [x, y] = [at(layout.xs, node) - CARD_WIDTH / 2, at(layout.rows, node) - CARD_HEIGHT / 2];
    const fan = fans.get(node);
    const task = graph.task(fan?.task ?? id);
    if (task === undefined) return null;
    if (fan !== undefined) {
      const changeTexts = fan.hidden.flatMap((leaf) => changes.get(leaf) ?? []).map(textOf);
      return (
        <FanCard
          key={id}
          fan={fan}
          title={titleOf(task)}
          x={x}
          y={y}
          isStop={id === stop}
          selection={selection}
          matches={targets ?? (isOn ? shown : null)}
          changes={[...new Set(changeTexts)]}
        />
      );
    }
    const change = changes.get(id);
    return (
      <Card
        key={id}
        task={task}
        x={x}
        y={y}
        change={change}
        changeText={change === undefined ? '' : textOf(change)}
        isChosen={id === chosen}
        isSelected={selection.has(id)}
        isStop={id === stop}
        isCritical={critical.has(id)}
        isOutside={!shown.has(id)}
        isFaint={targets !== null && !targets.has(id)}
        port={port}
        hasBranch={hasBranch(graph, id)}
        hidden={at(hiddenBelow, node)}
        onCollapse={collapse}
        waitsFor={blockersOf(graph, id).length}
        holdsUp={graph.outgoing(id).filter(isPrimary).length}
      />
    );
  });
}

function Tiles({ tiles, stop }: { readonly tiles: BranchTiles; readonly stop: string | null }) {
  const { layout, ids, tasks } = tiles.scene;
  return tiles.nodes.map((node) => {
    const id = ids[node] as string;
    const top = tasks[node];
    return (
      <BranchTile
        key={id}
        id={id}
        title={top === undefined ? graphTexts.others : titleOf(top)}
        counts={tiles.countsOf(node)}
        x={at(layout.xs, node) - CARD_WIDTH / 2}
        y={at(layout.rows, node) - CARD_HEIGHT / 2}
        isStop={id === stop}
      />
    );
  });
}

interface PictureButtonsProps {
  readonly picture: GraphPicture;
  /** Whether the tiles of branches show. */
  readonly isFar: boolean;
  readonly onTidy: () => void;
}

function PictureButtons({ picture, isFar, onTidy }: PictureButtonsProps) {
  return (
    <div className="camera" role="toolbar" aria-label={graphTexts.camera}>
      <button type="button" data-act="tidy" title={graphTexts.tidyHelp} onClick={onTidy}>
        {graphTexts.tidy}
      </button>
      <button
        type="button"
        data-act="branches"
        title={graphTexts.branchesHelp}
        aria-pressed={isFar}
        onClick={() => (isFar ? picture.fit() : picture.showBranches())}
      >
        {graphTexts.branches}
      </button>
      <button type="button" aria-label={graphTexts.zoomIn} onClick={() => picture.zoomBy(ZOOM_STEP)}>
        +
      </button>
      <button type="button" aria-label={graphTexts.zoomOut} onClick={() => picture.zoomBy(1 / ZOOM_STEP)}>
        −
      </button>
      <button type="button" onClick={() => picture.fit()}>
        {graphTexts.fit}
      </button>
    </div>
  );
}

function moveCamera(picture: GraphPicture, key: string): void {
  if (key === '+' || key === '=') picture.zoomBy(ZOOM_STEP);
  else if (key === '-') picture.zoomBy(1 / ZOOM_STEP);
  else if (key === '0') picture.fit();
}

interface PictureHandlers {
  readonly press: { readonly current: (id: string) => void };
  readonly dragged: { readonly current: (id: string) => CardMove | null };
}

/** The fans that the reader has opened stay open when they return to the view. */
const OPEN_FANS = new WeakMap<Replica, Set<string>>();

/** Starts the picture once its elements exist, and ends it with the view. */
function usePicture(
  region: { readonly current: HTMLElement | null },
  { press, dragged }: PictureHandlers,
): GraphPicture | null {
  const { replica } = useWorkspace();
  const [picture, setPicture] = useState<GraphPicture | null>(null);
  useEffect(() => {
    const element = region.current;
    const canvas = element?.querySelector('canvas');
    const layer = element?.querySelector<HTMLElement>('.layer');
    if (element === null || canvas === null || canvas === undefined || layer === null || layer === undefined) return;
    const failed = (message: string) => note('refused', graphTexts.failed(message));
    const openFans = OPEN_FANS.get(replica) ?? new Set();
    OPEN_FANS.set(replica, openFans);
    const started = startGraphPicture({ replica, canvas, layer, theme: themeOf(element), openFans, failed });
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
      followCards(element, (id) => dragged.current(id)),
      onThemeChange(() => started.setTheme(themeOf(element))),
      () => sizes.disconnect(),
      started.stop,
    ];
    setPicture(started);
    return () => {
      for (const end of ends) end();
      setPicture(null);
    };
  }, [replica, region, press, dragged]);
  return picture;
}

function useElements(picture: GraphPicture | null): PictureElements | null {
  return useSyncExternalStore(
    useMemo(() => picture?.subscribe ?? (() => () => undefined), [picture]),
    () => picture?.elements() ?? null,
  );
}

function useCritical(): ReadonlySet<string> {
  const { plan } = useWorkspace();
  return useMemo(() => new Set(plan?.critical), [plan]);
}

/** Moves the focus to the card or the tile with this id as soon as it has an element. */
function useFocus(
  region: { readonly current: HTMLElement | null },
  elements: PictureElements | null,
  id: string | null,
): void {
  const done = useRef<string | null>(null);
  useEffect(() => {
    if (id === null || done.current === id || elements === null) return;
    const card = cardOf(region.current, id);
    if (card === null) return;
    done.current = id;
    card.focus({ preventScroll: true });
  }, [region, elements, id]);
}

/**
 * Moves the focus from the card of a fan that is no more to the card of its task. Returns the handler
 * of the focus in the picture.
 */
function useGoneFan(
  region: { readonly current: HTMLElement | null },
  picture: GraphPicture | null,
  elements: PictureElements | null,
  focus: (id: string) => void,
): (event: FocusEvent) => void {
  const last = useRef<SceneFan | null>(null);
  useEffect(() => {
    const fan = last.current;
    if (fan === null || elements?.kind !== 'cards' || elements.scene.numberOf.has(fan.id)) return;
    last.current = null;
    // The reader may have gone elsewhere meanwhile.
    if (document.activeElement !== document.body) return;
    focus(fan.task);
    (cardOf(region.current, fan.task) ?? document.getElementById('content'))?.focus({ preventScroll: true });
  }, [region, elements, focus]);
  return ({ target }) => {
    last.current = picture?.fanOf(otherCardAt(target) ?? '') ?? null;
  };
}

function cardOf(region: HTMLElement | null, id: string): HTMLElement | null {
  const name = CSS.escape(id);
  return (
    region?.querySelector<HTMLElement>(`[data-task="${name}"], [data-tile="${name}"], [data-fan="${name}"]`) ?? null
  );
}

function taskAt(target: EventTarget): string | null {
  return (target as Element).closest<HTMLElement>('[data-task]')?.dataset.task ?? null;
}

/** The id of a tile, or of the card of a fan. */
function otherCardAt(target: EventTarget): string | null {
  const { tile, fan } = (target as Element).closest<HTMLElement>('[data-tile], [data-fan]')?.dataset ?? {};
  return tile ?? fan ?? null;
}

function firstId(elements: PictureElements | null): string | null {
  const [first] = elements?.nodes ?? [];
  return first === undefined ? null : (elements?.scene.ids[first] ?? null);
}

/** A task that does not show has no neighbours. */
function firstIfGone(elements: PictureElements | null, id: string): string | null {
  return elements?.scene.numberOf.has(id) === true ? null : firstId(elements);
}

/** The element at which the Tab key stops: the one last used if it is near, else the first. */
function stopOf(elements: PictureElements | null, id: string | null): string | null {
  const number = id === null ? undefined : elements?.scene.numberOf.get(id);
  return number !== undefined && elements?.nodes.includes(number) === true ? id : firstId(elements);
}
