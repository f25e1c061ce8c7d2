// Load and latency as they come, and the slow calls.

import { bytes, count, counted, el, facts, note, number, seconds, span, svg, table, time } from './dom.js';
import { clockOffsets, gauge, parse, rates, totals } from './metrics.js';

const CALLS = 'dht_calls_seconds';
const PEERS = 'dht_peer_calls_seconds';
const PEER_LABELS = ['node', 'peer'];
/** Five minutes, at a reading each two seconds. */
const POINTS = 150;
/** A chart with fewer points is not stretched over the whole width. */
const FEW_POINTS = 30;
const SLOW_CALLS = 50;
const WIDTH = 300;
const HEIGHT = 80;

let before;
let history = [];
let kinds = [];
let current = { calls: new Map(), peers: new Map() };
let offsets = new Map();
let gauges = [];
let rounds = [];

/** Notes the text of `/metrics`. */
export function read(text, at) {
  if (before?.at === at) { return; }
  const samples = parse(text);
  const label = PEER_LABELS.find(each => samples.some(({ name, labels }) => name.startsWith(PEERS) && each in labels)) ?? 'node';
  const now = { at, calls: totals(samples, CALLS, 'kind'), peers: totals(samples, PEERS, label) };
  if (before) {
    const elapsed = (at - before.at) / 1000;
    current = { calls: rates(before.calls, now.calls, elapsed), peers: rates(before.peers, now.peers, elapsed) };
    history = [...history, { at, calls: current.calls }].slice(-POINTS);
    for (const kind of current.calls.keys()) {
      if (!kinds.includes(kind) && now.calls.get(kind).count > 0) { kinds = [...kinds, kind]; }
    }
  }
  offsets = clockOffsets(samples);
  gauges = usage(samples);
  rounds = atomic(samples);
  before = now;
}

/** Returns what the node uses of its bounds, as far as its metrics tell. */
function usage(samples) {
  const of = (used, limit, format) => {
    const value = gauge(samples, used);
    const bound = limit && gauge(samples, limit);
    return Number.isFinite(value) && [format(value), bound > 0 && ' of ' + format(bound)];
  };
  const processor = gauge(samples, 'process_cpu_usage');
  const heap = gauge(samples, 'jvm_memory_used_bytes', 'heap');
  // Pools without a maximum of their own have -1.
  const heapLimit = gauge(samples.filter(({ value }) => value > 0), 'jvm_memory_max_bytes', 'heap');
  return [
    ['Calls in flight', of('dht_calls_active', 'dht_calls_limit', count)],
    ['Writes in flight', of('dht_writes_memory_used_bytes', 'dht_writes_memory_limit_bytes', bytes)],
    ['Values that reads hold', of('dht_reads_memory_used_bytes', 'dht_reads_memory_limit_bytes', bytes)],
    ['Requests at the store', of('dht_store_requests_active', 'dht_store_requests_limit', count)],
    ['Heap', Number.isFinite(heap) && [bytes(heap), heapLimit > 0 && ' of ' + bytes(heapLimit)]],
    ['Processors', processor >= 0 && number(100 * processor) + ' %'],
  ].filter(([, value]) => value);
}

/** Returns what operations on atomic keys have cost the node since its start; empty if there were none. */
function atomic(samples) {
  const of = name => gauge(samples, 'dht_atomic_' + name + '_total') ?? 0;
  const [forwarded, proposed, all] = [of('forwarded'), of('proposed'), of('rounds')];
  if (forwarded + proposed === 0) { return []; }
  const share = name => number(100 * of(name) / Math.max(1, all)) + ' %';
  return [
    ['Operations sent to other nodes', count(forwarded)],
    ['Operations in rounds of this node', count(proposed)],
    ['Rounds', count(all)],
    ['Rounds of one round trip', share('rounds_short')],
    ['Rounds repeated', share('rounds_repeated')],
  ];
}

/** Forgets all of it. */
export function forget() {
  before = undefined;
  history = [];
  kinds = [];
  current = { calls: new Map(), peers: new Map() };
  offsets = new Map();
  gauges = [];
  rounds = [];
}

/** Returns the last known offsets of clocks. */
export const clocks = () => offsets;

/** Returns the calls of clients a second, of all kinds; undefined if unknown. */
export const calls = () => before && history.length > 0
  ? [...current.calls.values()].reduce((sum, { rate }) => sum + rate, 0) : undefined;

/** Draws a line for each kind of calls. */
function chart(title, value, format) {
  const values = history.map(point => kinds.map(kind => value(point.calls.get(kind) ?? {})));
  const most = Math.max(0, ...values.flat().filter(Number.isFinite));
  const places = Math.max(FEW_POINTS, history.length);
  const x = index => WIDTH * (places - history.length + index) / (places - 1);
  const y = each => HEIGHT - 1 - (HEIGHT - 4) * each / (most || 1);
  const lines = kinds.map((kind, place) => {
    const points = values.map((row, index) => Number.isFinite(row[place]) ? x(index).toFixed(1) + ',' + y(row[place]).toFixed(1) : '').filter(point => point);
    // A line of one point is a dot.
    if (points.length === 1) { points.push(points[0]); }
    return svg('polyline', { class: 'line c' + place % 8, points: points.join(' ') });
  });
  const past = history.length > 1 ? span(history.at(-1).at - history[0].at) : 'moments';
  const range = most > 0 ? 'up to ' + format(most) : history.length < POINTS ? 'no calls since this page was opened' : 'no calls in the last ' + past;
  return el('figure', { class: 'chart' },
    el('figcaption', {}, title, el('span', { class: 'muted' }, ' · ' + range)),
    svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${title} in the last ${past}: ${range}. The table below has the present figures.` },
      svg('line', { class: 'grid', x1: 0, x2: WIDTH, y1: HEIGHT - 1, y2: HEIGHT - 1 }),
      svg('line', { class: 'grid', x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      lines));
}

const words = name => name.toLowerCase().replaceAll('_', ' ');

function figures(caption, first, groups, swatch) {
  const columns = [{ title: first }, { title: 'Per second', n: true }, { title: 'Failed', n: true }, { title: 'Mean', n: true }];
  const hasPercentiles = groups.some(([, { p99 }]) => p99 !== undefined);
  if (hasPercentiles) { columns.push({ title: 'p50', n: true, wide: true }, { title: 'p99', n: true }); }
  return table(caption, columns, groups.map(([name, of], index) => [
    [swatch && el('span', { class: 'swatch c' + index % 8 }), swatch ? words(name) : name],
    number(of.rate), number(of.failures), seconds(of.mean), ...hasPercentiles ? [seconds(of.p50), seconds(of.p99)] : []]), true);
}

/** Shows the load of this node. */
export function load(source) {
  if (source.state === 'absent') {
    return note('Metrics are off: this node does not serve ', el('code', {}, 'GET /metrics'), '.');
  }
  if (source.state === 'forbidden') { return note('Metrics need a token of another scope.'); }
  if (!source.data) { return note('No metrics yet.'); }
  if (history.length === 0) { return note('Waits for a second reading of the metrics.'); }
  if (kinds.length === 0) { return el('div', { class: 'split' }, note('This node has had no calls yet.'), facts(gauges)); }
  const hasPercentiles = history.some(({ calls }) => [...calls.values()].some(({ p99 }) => p99 !== undefined));
  return el('div', {},
    el('div', { class: 'charts' },
      chart('Calls per second', of => of.rate, number),
      hasPercentiles ? chart('Latency, p99', of => of.p99, seconds) : chart('Latency, mean', of => of.mean, seconds)),
    gauges.length > 0 && el('div', { class: 'split' }, facts(gauges)),
    figures('Calls of clients by kind', 'Calls', kinds.map(kind => [kind, current.calls.get(kind) ?? {}]), true),
    rounds.length > 0 && [el('h3', {}, 'Atomic keys, since the start'), el('div', { class: 'split' }, facts(rounds))],
    current.peers.size > 0 && [el('h3', {}, 'Requests to other nodes'),
      figures('Requests by node', 'Node', [...current.peers].sort(([a], [b]) => a < b ? -1 : 1), false)]);
}

const request = of => of.node + ' ' + words(of.kind) + ' ' + seconds(of.took_ms / 1000)
  + (of.after_ms > 0 ? ' after ' + seconds(of.after_ms / 1000) : '') + (of.outcome === 'SUCCESS' ? '' : ', ' + words(of.outcome));

/** Shows the slow calls that the node remembers, and where their time went. */
export function slow(source) {
  if (source.state === 'absent') {
    return note('The log of slow calls is off: this node does not serve ', el('code', {}, 'GET /v0/slow-calls'), '.');
  }
  if (source.state === 'forbidden') { return note('Needs a token with the scope read.'); }
  if (!source.data) { return note('Not known yet.'); }
  const calls = [...source.data.slow_calls ?? []].sort((a, b) => b.ended_ms - a.ended_ms).slice(0, SLOW_CALLS);
  if (calls.length === 0) { return note('No call was slow.'); }
  const columns = [{ title: 'Ended' }, { title: 'Call' }, { title: 'Outcome' }, { title: 'Took', n: true }, { title: 'Key' },
    { title: 'Requests' }];
  return table('Slow calls', columns, calls.map(call => [
    time(call.ended_ms), words(call.kind), words(call.outcome), seconds(call.took_ms / 1000),
    call.key_hash ? el('code', {}, call.key_hash) : call.keys > 1 ? counted(call.keys, 'key') : '–',
    (call.requests ?? []).map(each => el('div', {}, request(each)))]));
}
