// The theme: that of VitePress with the colours of the console, the fonts of the reader's system, and
// tabs.
import DefaultTheme from 'vitepress/theme-without-fonts';
import '../../.cache/stage/colours.css';
import './site.css';
import { PageTabs } from './page-tabs.js';

export default {
  extends: DefaultTheme,
  enhanceApp({ app, router }) {
    app.component('PageTabs', PageTabs);
    // A hit of the search in the same page changes the address without this event.
    if (!import.meta.env.SSR) router.onAfterRouteChange = () => dispatchEvent(new Event('hashchange'));
  },
};
