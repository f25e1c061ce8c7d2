// Elements, whose text is always set as text, and the formats of figures.

const SVG = 'http://www.w3.org/2000/svg';

/** Makes an element. Attributes without a value are left out; children are elements, or anything to show as text. */
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Makes an element of a drawing. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...nodes(children));
  return element;
}

function nodes(children) {
  return children.flat(Infinity)
    .filter(child => child !== undefined && child !== null && child !== false)
    .map(child => child instanceof Node ? child : document.createTextNode(String(child)));
}

/**
 * Lets an element have these children. What is equal stays: the focus, a selection and what a screen reader is at.
 */
export function update(parent, ...children) {
  patchChildren(parent, nodes(children));
}

function patchChildren(parent, wanted) {
  const present = [...parent.childNodes];
  wanted.forEach((fresh, index) => {
    const old = present[index];
    if (old === undefined) {
      parent.append(fresh);
    } else {
      patch(old, fresh);
    }
  });
  present.slice(wanted.length).forEach(old => old.remove());
}

function patch(old, fresh) {
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) {
    old.replaceWith(fresh);
  } else if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) { old.data = fresh.data; }
  } else {
    for (const { name } of [...old.attributes]) {
      if (!fresh.hasAttribute(name)) { old.removeAttribute(name); }
    }
    for (const { name, value } of fresh.attributes) {
      if (old.getAttribute(name) !== value) { old.setAttribute(name, value); }
    }
    patchChildren(old, [...fresh.childNodes]);
  }
}

/** Returns an element of the page by its id. */
export const byId = id => document.getElementById(id);

/**
 * Makes a table. On a narrow screen each row becomes a card, unless the table is `compact`; so the roles are explicit
 * and each cell has its header.
 *
 * @param columns objects with `title`, `n` for figures, and `wide` for what a narrow screen has no room for
 * @param rows arrays of cells; the first cell is the header of its row
 */
export function table(caption, columns, rows, compact = false) {
  const kind = column => [column.n && 'n', column.wide && 'wide-only'].filter(each => each).join(' ') || undefined;
  const head = columns.map(column => el('th', { scope: 'col', role: 'columnheader', class: kind(column) }, column.title));
  const body = rows.map(cells => el('tr', { role: 'row' }, cells.map((cell, index) => {
    const column = columns[index];
    return index === 0
      ? el('th', { scope: 'row', role: 'rowheader' }, cell)
      : el('td', { role: 'cell', class: kind(column), 'data-title': column.title }, el('span', {}, cell));
  })));
  return el('table', { role: 'table', class: compact ? 'compact' : 'cards' },
    el('caption', { class: 'sr-only' }, caption),
    el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, head)),
    el('tbody', { role: 'rowgroup' }, body));
}

/** Makes a list of names and values. */
export function facts(pairs) {
  return el('dl', {}, pairs.filter(pair => pair).map(([name, value]) =>
    el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}

/** Makes a short word in a frame; `kind` is `good`, `warn`, `bad` or absent. */
export const tag = (text, kind) => el('span', { class: kind ? 'tag ' + kind : 'tag' }, text);

/** Makes a muted paragraph. */
export const note = (...text) => el('p', { class: 'muted' }, ...text);

const figures = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** Formats a number: whole from 100 on, else with three digits. */
export const number = value => Number.isFinite(value) ? (Math.abs(value) >= 100 ? figures : fine).format(value) : '–';

/** Formats a count, which is whole. */
export const count = value => Number.isFinite(value) ? figures.format(value) : '–';

/** Formats a count and its noun. */
export const counted = (value, one, many = one + 's') => count(value) + ' ' + (value === 1 ? one : many);

/** Formats bytes. */
export function bytes(value) {
  let size = value;
  for (const unit of ['B', 'KiB', 'MiB', 'GiB']) {
    if (size < 1024) { return number(size) + ' ' + unit; }
    size /= 1024;
  }
  return number(size) + ' TiB';
}

/** Formats a time span given in seconds. */
export function seconds(value) {
  if (!Number.isFinite(value)) { return '–'; }
  if (value < 1e-3) { return number(value * 1e6) + ' µs'; }
  if (value < 1) { return number(value * 1e3) + ' ms'; }
  return number(value) + ' s';
}

/** Formats a longer time span given in milliseconds. */
export function span(millis) {
  const s = Math.max(0, Math.floor(millis / 1000));
  if (s < 120) { return s + ' s'; }
  if (s < 7200) { return Math.floor(s / 60) + ' min'; }
  if (s < 172800) { return Math.floor(s / 3600) + ' h'; }
  return Math.floor(s / 86400) + ' days';
}

/** Formats a time of day, with the date if it is not today's. */
export function time(millis) {
  const date = new Date(millis);
  const clock = date.toLocaleTimeString('en-GB');
  return date.toDateString() === new Date().toDateString() ? clock : date.toLocaleDateString('sv-SE') + ' ' + clock;
}
