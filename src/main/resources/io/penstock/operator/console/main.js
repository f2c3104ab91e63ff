// The page: its data, the current view, and the timing of drawing.

import {html, nothing, render} from './lib/lit-html.js';
import {Locked, Problem, follow, forget, remember, token} from './connection.js';
import {Endpoints} from './endpoints.js';
import {Detail} from './detail.js';
import {Configuration, Events, Keys, Upstreams} from './tables.js';
import {mark} from './parts.js';
import {clock, short, shown} from './words.js';

const TABS = [['endpoints', 'Endpoints'], ['upstreams', 'Upstreams'], ['keys', 'Keys'],
  ['events', 'Events'], ['configuration', 'Configuration']];
const MOST_EVENTS = 500;
const MOST_POINTS = 600;
/** Shortest time between two drawings. */
const DRAW_EVERY = 100;
const THEME = 'penstock-theme';
const SILENT = 'The gateway does not answer.';

class State {
  constructor() {
    this.rows = new Map();
    this.upstreams = [];
    this.instance = {};
    this.events = [];
    this.chosen = null;
    this.history = new Map();
    this.connected = false;
    this.problem = '';
    this.locked = null;
    this.tab = 'endpoints';
    this.drawn = Promise.resolve();
    this.lastDrawn = 0;
    this.number = 0;
    this.views = {
      endpoints: new Endpoints(this), upstreams: new Upstreams(this), keys: new Keys(this),
      events: new Events(this), configuration: new Configuration(this),
    };
    this.detail = new Detail(this);
  }

  /** Requests a drawing soon. */
  changed() {
    if (this.due) {
      return;
    }
    this.due = true;
    this.drawn = new Promise(then => {
      const wait = Math.max(0, this.lastDrawn + DRAW_EVERY - performance.now());
      setTimeout(() => requestAnimationFrame(() => {
        this.due = false;
        this.lastDrawn = performance.now();
        this.draw();
        then();
      }), wait);
    });
  }

  draw() {
    render(this.locked ? this.login() : this.view(), document.getElementById('page'));
    if (this.chosen !== null && this.tab === 'endpoints' && !this.locked) {
      this.detail.draw(this.history.get(this.chosen) ?? []);
    }
  }

  /** Runs a request to the gateway; on failure shows the reason and returns undefined. */
  async asking(what) {
    try {
      const found = await what();
      if (this.problem === SILENT) {
        this.problem = ''; // other problems stay until they are read
      }
      return found;
    } catch (failure) {
      if (failure instanceof Locked) {
        this.lock(failure);
      } else {
        this.problem = failure instanceof Problem ? failure.message : SILENT;
        this.changed();
      }
      return undefined;
    }
  }

  choose(path) {
    this.chosen = path === this.chosen ? null : path;
    this.detail.show(this.chosen);
    this.changed();
  }

  show(tab) {
    this.tab = tab;
    this.views[tab].look?.();
    this.changed();
  }

  lock(failure) {
    this.stop?.();
    this.locked = failure.message;
    this.changed();
  }

  start() {
    const locked = failure => this.lock(failure);
    const live = follow('live', (name, data) => this.live(name, data), on => {
      this.connected = on;
      this.changed();
    }, locked);
    const events = follow('events?lines', (name, data) => this.event(name, data), () => {}, locked);
    this.stop = () => {
      live();
      events();
    };
  }

  live(name, data) {
    if (name === 'endpoints') {
      if (data.whole) {
        this.rows.clear();
      }
      data.removed.forEach(path => this.rows.delete(path));
      data.rows.forEach(row => this.rows.set(row.path, row));
      const now = Date.now();
      for (const [path, row] of this.rows) {
        this.note(path, row, now);
      }
      if (this.chosen !== null && !this.rows.has(this.chosen)) {
        this.choose(this.chosen);
      }
    } else if (name === 'upstreams') {
      this.upstreams = data;
    } else if (name === 'instance') {
      this.instance = data;
    }
    this.changed();
  }

  /** Keeps five minutes of history: for each change the points before and after it. */
  note(path, row, now) {
    const points = this.history.get(path) ?? [];
    const last = points.at(-1);
    const point = {at: now, used: row.utilization, waiting: row.queue_depth};
    if (last && last.used === point.used && last.waiting === point.waiting && points.length > 1
        && points.at(-2).used === point.used && points.at(-2).waiting === point.waiting) {
      last.at = now;
    } else {
      points.push(point);
    }
    while (points.length > MOST_POINTS || points[0].at < now - 310000) {
      points.shift();
    }
    this.history.set(path, points);
  }

  event(kind, data) {
    this.events.unshift({...data, kind, number: this.number++});
    this.events.length = Math.min(this.events.length, MOST_EVENTS);
    if (this.tab === 'events') {
      this.changed();
    }
  }

  login() {
    return html`
      <main class="login"><form @submit=${event => this.entered(event)}>
        <h1>Penstock</h1>
        <p role="alert">${this.locked}</p>
        <label>Operator token <input type="password" name="token" autocomplete="current-password" required autofocus></label>
        <button>Open the console</button>
      </form></main>`;
  }

  entered(event) {
    event.preventDefault();
    remember(new FormData(event.target).get('token').trim());
    this.locked = null;
    this.rows.clear();
    this.start();
    this.changed();
  }

  leave() {
    forget();
    this.rows.clear();
    this.events.length = 0;
    this.lock(new Locked('This needs the operator token.'));
  }

  view() {
    let waiting = 0;
    let served = 0;
    let refused = 0;
    for (const row of this.rows.values()) {
      waiting += row.queue_depth;
      served += row.served;
      refused += row.refused + row.expired;
    }
    const down = this.upstreams.filter(each => each.health !== 'healthy').length;
    const instance = this.instance;
    const chosen = this.chosen === null ? undefined : this.rows.get(this.chosen);
    return html`
      <header class="top">
        <h1>Penstock${instance.version ? html` <span class="quiet">${instance.version}</span>` : nothing}</h1>
        <span class=${'link-state ' + (this.connected ? 'on' : 'off')} role="status">${!this.connected
          ? 'not connected: trying again' : instance.stopping ? 'stopping' : 'live'}</span>
        <span class="quiet">${location.host}</span>
        <span><b>${short(waiting)}</b> waiting</span><span><b>${short(served)}</b> served</span>
        <span class=${refused > 0 ? 'warn' : ''}><b>${short(refused)}</b> refused</span>
        ${down > 0 ? html`<span class="bad"><b>${down}</b> ${down === 1 ? 'upstream' : 'upstreams'} down</span>` : nothing}
        ${instance.started_at ? html`<span class="quiet" title="Figures on this page are those of the instance that shows it">this instance, since ${clock(instance.started_at)}</span>` : nothing}
        ${instance.members ? html`<span><b>${instance.members}</b> ${instance.members === 1 ? 'instance' : 'instances'}</span>` : nothing}
        ${instance.redis_away_since ? html`<span class="bad">Redis away since ${clock(instance.redis_away_since)}</span>` : nothing}
        ${instance.sync?.map(each => html`<span title=${each.detail}>${mark(each.well ? 'good' : 'warn',
          each.well ? each.sharing + ' limits shared' : each.sharing + ' limits: ' + each.change)}</span>`)}
        <span class="space"></span>
        <button class="plain" @click=${turn} aria-label="Light or dark">◐</button>
        ${token() ? html`<button class="plain" @click=${() => this.leave()}>Leave</button>` : nothing}
      </header>
      <nav role="tablist" aria-label="Views" @keydown=${event => this.tabKey(event)}>
        ${TABS.map(([id, title]) => html`<button role="tab" id=${'tab-' + id} aria-selected=${this.tab === id}
          aria-controls="view" tabindex=${this.tab === id ? 0 : -1} @click=${() => this.show(id)}>${title}</button>`)}
      </nav>
      ${instance.not_applied?.length ? html`<p class="problem" role="status">${mark('bad', 'not applied')}
        The route files on disk differ from what runs: ${instance.not_applied.map(each => html`<span class="name">${shown(each)}</span> `)}</p>` : nothing}
      ${this.problem ? html`<p class="problem" role="alert">${mark('bad', 'problem')} ${this.problem}
        <button class="plain" aria-label="Dismiss" @click=${() => { this.problem = ''; this.changed(); }}>✕</button></p>` : nothing}
      <div class=${'body' + (chosen && this.tab === 'endpoints' ? ' split' : '')}>
        <main id="view" role="tabpanel" aria-labelledby=${'tab-' + this.tab} tabindex="-1">${this.views[this.tab].view()}</main>
        ${chosen && this.tab === 'endpoints' ? this.detail.view(chosen) : nothing}
      </div>`;
  }

  tabKey(event) {
    const at = TABS.findIndex(([id]) => id === this.tab);
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (by) {
      const [id] = TABS[(at + by + TABS.length) % TABS.length];
      this.show(id);
      this.drawn.then(() => document.getElementById('tab-' + id)?.focus());
      event.preventDefault();
    }
  }
}

function turn() {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme = dark ? 'light' : 'dark';
  localStorage.setItem(THEME, document.documentElement.dataset.theme);
}

const theme = localStorage.getItem(THEME);
if (theme === 'light' || theme === 'dark') {
  document.documentElement.dataset.theme = theme;
}
document.getElementById('page').replaceChildren();
const state = new State();
addEventListener('keydown', event => {
  const typing = event.target.matches('input, select, textarea');
  if (event.key === '/' && !typing && state.tab === 'endpoints') {
    document.getElementById('filter')?.focus();
    event.preventDefault();
  } else if (event.key === 'Escape' && state.chosen !== null) {
    state.choose(null);
  }
});
/** Whether a drawing after scrolling is pending: only the visible lines are drawn. */
let moved = false;
function move() {
  if (!moved && state.tab === 'endpoints') {
    moved = true;
    requestAnimationFrame(() => {
      moved = false;
      state.draw();
    });
  }
}
addEventListener('scroll', move, {passive: true});
addEventListener('resize', move);
state.start();
state.changed();
