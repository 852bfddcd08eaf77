// The theme: that of VitePress with the colours of the console, and the fonts of the reader's system.
import DefaultTheme from 'vitepress/theme-without-fonts';
import '../../.cache/stage/colours.css';
import './site.css';

export default DefaultTheme;
