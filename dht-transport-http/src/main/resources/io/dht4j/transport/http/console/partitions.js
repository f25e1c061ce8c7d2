// Who holds how many partitions, a map of them, and the replicas of one.

import { ask, hasToken, problem } from './poll.js';
import { byId, count, el, svg, table, update } from './dom.js';

/** As many colours as custom properties `--n0` and so on. */
const COLOURS = 8;
const CELLS_A_ROW = 64;

let shown;
let names = [];
let marked = '';
let chosen = -1;

/** Returns the class with the colour of a node, by its place among all of them. */
export const colourOf = (id, all) => 'c' + Math.max(0, all.indexOf(id)) % COLOURS;

/** Returns how many of the listed partitions each node is a replica of. */
export function held(data) {
  const counts = new Map();
  for (const replicas of data?.replicas ?? []) {
    for (const index of replicas) {
      const id = data.nodes[index];
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return counts;
}

function firsts(data) {
  const counts = new Map();
  for (const [first] of data.replicas) {
    const id = data.nodes[first];
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** Shows the shares of the nodes and the map. */
export function show(data, status) {
  const isNew = data !== shown;
  shown = data;
  names = status.nodes.map(node => node.id);
  byId('partitions-body').hidden = false;
  const listed = data.replicas.length;
  update(byId('partitions-note'), listed < status.partitions
    ? 'The first ' + count(listed) + ' of ' + count(status.partitions) + ' partitions.' : 'Full bars: partitions whose first replica the node is. A cell of the map is a partition in the colour of its first replica.');
  byId('partition').max = status.partitions - 1;
  const all = held(data);
  const first = firsts(data);
  const most = Math.max(1, ...all.values());
  const bar = id => svg('svg', { class: 'bar', 'aria-hidden': true },
    svg('rect', { class: 'all ' + colourOf(id, names), width: 100 * (all.get(id) ?? 0) / most + '%', height: '100%' }),
    svg('rect', { class: colourOf(id, names), width: 100 * (first.get(id) ?? 0) / most + '%', height: '100%' }));
  const columns = [{ title: 'Node' }, { title: 'Share' }, { title: 'First of', n: true }, { title: 'Replica of', n: true }];
  update(byId('shares'), table('Partitions by node', columns, names.map(id => [
    el('button', { type: 'button', class: 'key', 'data-mark': id, 'aria-pressed': String(id === marked), title: 'Show the partitions of ' + id + ' in the map' },
      el('span', { class: 'swatch ' + colourOf(id, names) }), id),
    bar(id), count(first.get(id) ?? 0), count(all.get(id) ?? 0)]), true));
  if (isNew) { draw(); }
}

/** Draws the map. */
export function draw() {
  const canvas = byId('map');
  const width = canvas.clientWidth;
  if (!shown || width === 0) { return; }
  const cells = shown.replicas.length;
  const columns = Math.min(CELLS_A_ROW, Math.max(8, Math.floor(width / 7)), Math.max(1, cells));
  const rows = Math.max(1, Math.ceil(cells / columns));
  const size = Math.min(24, width / columns);
  const scale = devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(rows * size * scale);
  canvas.style.height = rows * size + 'px';
  const style = getComputedStyle(document.documentElement);
  const colours = names.map((id, index) => style.getPropertyValue('--n' + index % COLOURS));
  const gap = size > 5 ? 1 : 0.5;
  const pen = canvas.getContext('2d');
  pen.scale(scale, scale);
  pen.clearRect(0, 0, width, rows * size);
  shown.replicas.forEach((replicas, index) => {
    const ids = replicas.map(each => shown.nodes[each]);
    pen.globalAlpha = marked === '' || ids.includes(marked) ? 1 : 0.12;
    pen.fillStyle = colours[names.indexOf(ids[0])] ?? style.getPropertyValue('--muted');
    pen.fillRect(index % columns * size, Math.floor(index / columns) * size, size - gap, size - gap);
  });
  pen.globalAlpha = 1;
  const at = chosen - shown.first;
  if (at >= 0 && at < cells) {
    pen.strokeStyle = style.getPropertyValue('--text');
    pen.lineWidth = 2;
    pen.strokeRect(at % columns * size - 0.5, Math.floor(at / columns) * size - 0.5, size, size);
  }
  canvas.dataset.columns = columns;
  canvas.dataset.size = size;
}

async function replicasOf(partition) {
  const index = partition - shown.first;
  if (index < shown.replicas.length) { return shown.replicas[index].map(each => shown.nodes[each]); }
  const answer = await ask('v0/partitions?count=1&first=' + partition);
  if (!answer.ok) { throw new Error((await problem(answer)).detail); }
  const data = await answer.json();
  return (data.replicas[0] ?? []).map(each => data.nodes[each]);
}

async function choose(partition) {
  const output = byId('partition-replicas');
  if (!shown || !Number.isInteger(partition) || partition < 0 || partition > Number(byId('partition').max)) {
    update(output, 'There is no such partition.');
    return;
  }
  chosen = partition;
  draw();
  try {
    const ids = await replicasOf(partition);
    if (chosen === partition) {
      update(output, ids.map((id, index) => [index > 0 && ', then ', el('span', { class: 'swatch ' + colourOf(id, names) }), id]));
    }
  } catch (e) {
    update(output, hasToken() ? String(e.message) : 'The node did not answer.');
  }
}

/** Lets the map and its controls react. */
export function start() {
  const field = byId('partition');
  field.addEventListener('input', () => { if (field.value !== '') { choose(Number(field.value)); } });
  byId('map').addEventListener('click', event => {
    const { columns, size } = event.target.dataset;
    const index = Math.floor(event.offsetY / size) * columns + Math.floor(event.offsetX / size);
    if (event.offsetX < columns * size && index < (shown?.replicas.length ?? 0)) {
      field.value = shown.first + index;
      choose(shown.first + index);
    }
  });
  byId('shares').addEventListener('click', event => {
    const button = event.target.closest('[data-mark]');
    if (button) {
      marked = marked === button.dataset.mark ? '' : button.dataset.mark;
      byId('shares').querySelectorAll('[data-mark]').forEach(each => each.setAttribute('aria-pressed', String(each.dataset.mark === marked)));
      draw();
    }
  });
  new ResizeObserver(draw).observe(byId('map').parentElement);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
}
