// Reads Prometheus text, and turns two readings of it into rates and percentiles.

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? +(\S+)(?: +-?\d+)?$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const ESCAPES = { n: '\n', '"': '"', '\\': '\\' };
const VALUES = { '+Inf': Infinity, '-Inf': -Infinity };

/** Returns the samples of a text, each with `name`, `labels` and `value`. */
export function parse(text) {
  const samples = [];
  for (const line of text.split('\n')) {
    const match = line.startsWith('#') ? null : LINE.exec(line.trim());
    if (match) {
      const labels = {};
      for (const [, name, value] of (match[2] ?? '').matchAll(LABEL)) {
        labels[name] = value.replace(/\\(.)/g, (escape, letter) => ESCAPES[letter] ?? escape);
      }
      samples.push({ name: match[1], labels, value: VALUES[match[3]] ?? Number(match[3]) });
    }
  }
  return samples;
}

/** What has been counted of one group of calls: how many, how many of them failed, the seconds, and the buckets. */
class Totals {
  count = 0;
  failed = 0;
  seconds = 0;
  buckets = new Map();
  quantiles = new Map();
}

const isFailure = outcome => outcome !== undefined && !/^(success|cancelled)$/i.test(outcome);

/**
 * Adds up the samples of a timer.
 *
 * @param timer the name of the timer, `dht_calls_seconds` for example
 * @param label the label that tells the groups apart
 */
export function totals(samples, timer, label) {
  const groups = new Map();
  for (const { name, labels, value } of samples) {
    if (!name.startsWith(timer) || labels[label] === undefined || !Number.isFinite(value)) { continue; }
    const group = groups.get(labels[label]) ?? new Totals();
    groups.set(labels[label], group);
    switch (name.slice(timer.length)) {
      case '_count':
        group.count += value;
        if (isFailure(labels.outcome)) { group.failed += value; }
        break;
      case '_sum': group.seconds += value; break;
      case '_bucket': {
        const le = VALUES[labels.le] ?? Number(labels.le);
        group.buckets.set(le, (group.buckets.get(le) ?? 0) + value);
        break;
      }
      case '':
        // The quantiles of several outcomes cannot be added up: the slowest one counts.
        group.quantiles.set(labels.quantile, Math.max(group.quantiles.get(labels.quantile) ?? 0, value));
        break;
      default:
    }
  }
  return groups;
}

/** Returns a percentile, in seconds, of what came between two readings; undefined if nothing did. */
function percentile(share, before, now) {
  const bounds = [...now.buckets.keys()].sort((a, b) => a - b);
  const come = bounds.map(le => now.buckets.get(le) - (before.buckets.get(le) ?? 0));
  const all = come.at(-1);
  if (!(all > 0)) { return now.quantiles.get(String(share)); }
  const index = come.findIndex(each => each >= share * all);
  const upper = bounds[index];
  const lower = index === 0 ? 0 : bounds[index - 1];
  const below = index === 0 ? 0 : come[index - 1];
  if (upper === Infinity) { return lower; }
  return lower + (upper - lower) * (share * all - below) / (come[index] - below || 1);
}

/** Returns the rates by group between two readings; empty if there are none, as after a restart of the node. */
export function rates(before, now, elapsed) {
  const result = new Map();
  for (const [group, current] of now) {
    const earlier = before.get(group) ?? new Totals();
    const come = current.count - earlier.count;
    if (come < 0 || !(elapsed > 0)) { return new Map(); }
    result.set(group, {
      rate: come / elapsed,
      failures: (current.failed - earlier.failed) / elapsed,
      mean: come > 0 ? (current.seconds - earlier.seconds) / come : undefined,
      p50: percentile(0.5, earlier, current),
      p99: percentile(0.99, earlier, current),
    });
  }
  return result;
}

/** Returns the sum of the samples of a gauge, of one `area` if it is given; undefined if there are none. */
export function gauge(samples, name, area) {
  const values = samples.filter(sample => sample.name === name && (area === undefined || sample.labels.area === area));
  return values.length === 0 ? undefined : values.reduce((sum, { value }) => sum + value, 0);
}

/** Returns the seconds by which the clocks of other nodes differ from this node's, by node, where metrics tell them. */
export function clockOffsets(samples) {
  const offsets = new Map();
  for (const { name, labels, value } of samples) {
    const node = labels.node ?? labels.peer;
    // Not a number until the node has answered.
    if (/^dht_.*clock.*offset.*seconds$/.test(name) && node !== undefined && Number.isFinite(value)) { offsets.set(node, value); }
  }
  return offsets;
}
