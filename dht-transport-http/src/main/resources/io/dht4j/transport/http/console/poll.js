// What the page asks of its node: each endpoint by itself, one request of it at a time.

const PERIOD_MS = 2000;
const ABSENT_PERIOD_MS = 30000;
const TIMEOUT_MS = 6000;

/** The token, in memory only. */
let token = '';
/** Counts the tokens, so that an answer to an earlier one is not shown. */
let generation = 0;

/** Sends a request to the node. A failure to get any answer is an exception. */
export function ask(path, options = {}) {
  const headers = { ...options.headers };
  if (token) { headers.Authorization = 'Bearer ' + token; }
  // Relative to the page, so that it works behind a proxy that serves the node below a path.
  return fetch(path, {
    cache: 'no-store', credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(options.timeout ?? TIMEOUT_MS), method: options.method ?? 'GET', headers,
  });
}

/** Returns the problem document of an answer, or its status in that form. */
export async function problem(answer) {
  try {
    const json = JSON.parse(await answer.text());
    if (json && typeof json.detail === 'string') { return { status: answer.status, name: json.name, detail: json.detail }; }
  } catch (e) {
    // Not a problem document: a proxy answered, for example.
  }
  return { status: answer.status, name: undefined, detail: 'HTTP status ' + answer.status };
}

/** One endpoint, its last data and how the last request ended. */
class Source {
  /** `new`, `ok`, `locked` (no token), `forbidden` (the token's scope), `absent`, `failed` (an error), or `lost`. */
  state = 'new';
  /** The last data, undefined before the first. */
  data;
  /** When the last data came. */
  at = 0;
  /** What the last answer said if it was an error. */
  problem;

  constructor(path, read, accepted = []) {
    this.path = path;
    this.read = read;
    this.accepted = accepted;
    this.asking = false;
    this.next = 0;
  }

  /** Returns whether the data is that of the last answer. */
  get fresh() { return this.state === 'ok'; }

  reset() {
    Object.assign(this, { state: 'new', data: undefined, at: 0, problem: undefined, next: 0 });
  }

  async request(node) {
    const asked = generation;
    this.asking = true;
    try {
      const answer = await ask(this.path);
      const known = answer.ok || this.accepted.includes(answer.status);
      const outcome = known ? await this.read(answer) : await problem(answer);
      if (asked !== generation) { return; }
      node.heardAt = Date.now();
      if (known) {
        Object.assign(this, { state: 'ok', data: outcome, at: node.heardAt, problem: undefined });
      } else {
        this.refused(outcome);
      }
    } catch (e) {
      if (asked !== generation) { return; }
      this.state = 'lost';
    } finally {
      this.asking = false;
    }
  }

  refused(answer) {
    this.problem = answer;
    const isAbsent = answer.status === 404 || answer.name === 'UNKNOWN_RESOURCE';
    this.state = { 401: 'locked', 403: 'forbidden' }[answer.status] ?? (isAbsent ? 'absent' : 'failed');
    if (isAbsent || answer.status === 400) { this.next = Date.now() + ABSENT_PERIOD_MS; }
    if (this.state === 'locked' || this.state === 'forbidden') {
      this.next = Infinity;
      this.data = undefined;
    }
  }
}

const json = answer => answer.json();

/** The endpoints. */
export const sources = {
  ready: new Source('readyz', async answer => ({ ready: answer.ok, text: (await answer.text()).trim() }), [503]),
  status: new Source('v0/status', json),
  repair: new Source('v0/repair', json),
  members: new Source('v0/nodes', json),
  partitions: new Source('v0/partitions', json),
  metrics: new Source('metrics', answer => answer.text()),
  slow: new Source('v0/slow-calls', json),
};

/** The node itself. */
export const node = {
  /** When the last answer came, 0 for never. */
  heardAt: 0,
  /** Whether it gives no answer. A busy node still answers its probe. */
  get isLost() { return sources.ready.state === 'lost'; },
};

/** Uses another token, or none if it is empty, and asks again for everything. */
export function useToken(text) {
  token = text;
  generation++;
  Object.values(sources).forEach(source => source.reset());
}

/** Returns whether there is a token. */
export const hasToken = () => token !== '';

/** Asks soon again for what may have changed by an act. */
export function hurry(...names) {
  names.forEach(name => { sources[name].next = 0; });
}

/**
 * Asks again and again while the page is visible.
 *
 * @param changed called with the name of the endpoint after each answer, and without one each second
 */
export function poll(changed) {
  let timer;
  let ticks = 0;
  function request(name) {
    const source = sources[name];
    if (!source.asking && Date.now() >= source.next) {
      source.request(node).then(() => changed(name));
    }
  }
  function tick() {
    if (ticks++ % (PERIOD_MS / 1000) === 0) { Object.keys(sources).forEach(request); }
    changed();
  }
  function follow() {
    clearInterval(timer);
    if (!document.hidden) {
      ticks = 0;
      timer = setInterval(tick, 1000);
      tick();
    }
  }
  document.addEventListener('visibilitychange', follow);
  follow();
  return follow;
}
