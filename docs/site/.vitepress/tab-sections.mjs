// Tabs from plain Markdown: the sections between the comments `<!-- tabs -->` and
// `<!-- end of tabs -->` become tabs, one for each heading of the second level.

const HEADING = 'h2';
const isComment = (token, text) => token.type === 'html_block' && token.content.trim() === `<!-- ${text} -->`;

/** A plugin for markdown-it. It runs after the plugin that gives headings their ids. */
export function tabSections(md) {
  md.core.ruler.push('tab_sections', (state) => {
    state.tokens = withTabs(state.tokens, state.Token);
  });
}

function withTabs(tokens, Token) {
  const start = tokens.findIndex((token) => isComment(token, 'tabs'));
  if (start < 0) return tokens;
  const end = tokens.findIndex((token, index) => index > start && isComment(token, 'end of tabs'));
  if (end < 0) throw new Error('"<!-- tabs -->" has no "<!-- end of tabs -->"');
  const sections = sectionsOf(tokens.slice(start + 1, end));
  const html = (content) => Object.assign(new Token('html_block', '', 0), { content });
  const tabs = JSON.stringify(sections.map(({ id, label }) => ({ id, label })));
  return [
    ...tokens.slice(0, start),
    html(`<PageTabs :tabs='${tabs.replaceAll("'", '&#39;')}'>\n`),
    ...sections.flatMap(({ id, content }) => [html(`<template #${id}>\n`), ...content, html('</template>\n')]),
    html('</PageTabs>\n'),
    ...withTabs(tokens.slice(end + 1), Token),
  ];
}

function sectionsOf(tokens) {
  const isHeading = (token) => token.type === 'heading_open' && token.tag === HEADING;
  const starts = tokens.flatMap((token, index) => (isHeading(token) ? [index] : []));
  if (starts.length === 0 || starts[0] !== 0) throw new Error('"<!-- tabs -->" comes before a heading "## ..."');
  return starts.map((start, index) => ({
    id: tokens[start].attrGet('id'),
    label: tokens[start + 1].content,
    content: tokens.slice(start, starts[index + 1]),
  }));
}
