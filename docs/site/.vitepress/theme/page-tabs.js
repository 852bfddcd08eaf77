// The tabs of a page, by the tab pattern of WAI-ARIA. Without scripts all sections show, one below
// the other. An address with the heading of a section selects its tab.
import { defineComponent, h, nextTick, onBeforeUnmount, onMounted, ref } from 'vue';

/** The tab that a key selects, of `count` tabs. */
const NEXT = {
  ArrowLeft: (index, count) => (index + count - 1) % count,
  ArrowRight: (index, count) => (index + 1) % count,
  Home: () => 0,
  End: (_index, count) => count - 1,
};

export const PageTabs = defineComponent({
  // `{ id, label }` of each tab. The slot `id` has its section, whose heading has the same id.
  props: { tabs: { type: Array, required: true } },
  setup({ tabs }, { slots }) {
    const isRunning = ref(false);
    const selected = ref(tabs[0].id);
    const list = ref(null);

    async function selectByAddress() {
      const id = decodeURIComponent(location.hash.slice(1));
      if (!tabs.some((tab) => tab.id === id)) return;
      selected.value = id;
      await nextTick();
      // The router scrolls in the next frame, to the place that the heading had before.
      requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(id)?.scrollIntoView()));
    }

    function select(id) {
      selected.value = id;
      history.replaceState(history.state, '', `#${id}`);
    }

    function onKey(event, index) {
      const next = NEXT[event.key];
      if (next === undefined || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      const to = next(index, tabs.length);
      select(tabs[to].id);
      list.value.children[to].focus();
    }

    onMounted(async () => {
      isRunning.value = true;
      addEventListener('hashchange', selectByAddress);
      await nextTick();
      await selectByAddress();
    });
    onBeforeUnmount(() => removeEventListener('hashchange', selectByAddress));

    const tabOf = ({ id, label }, index) => {
      const isSelected = id === selected.value;
      const attributes = { id: `tab-${id}`, 'aria-controls': `panel-${id}`, 'aria-selected': String(isSelected) };
      const handlers = { onClick: () => select(id), onKeydown: (event) => onKey(event, index) };
      return h(
        'button',
        { type: 'button', role: 'tab', tabindex: isSelected ? 0 : -1, ...attributes, ...handlers },
        label,
      );
    };
    const panelOf = ({ id }) => {
      const role = isRunning.value
        ? { role: 'tabpanel', 'aria-labelledby': `tab-${id}`, hidden: id !== selected.value }
        : {};
      return h('div', { id: `panel-${id}`, key: id, ...role }, slots[id]());
    };
    return () =>
      h('div', { class: ['page-tabs', { running: isRunning.value }] }, [
        isRunning.value && h('div', { role: 'tablist', 'aria-label': 'Language or tool', ref: list }, tabs.map(tabOf)),
        tabs.map(panelOf),
      ]);
  },
});
