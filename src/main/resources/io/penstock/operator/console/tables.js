// Tables of upstreams, keys and events, and the configuration.

import {html, nothing} from './lib/lit-html.js';
import {repeat} from './lib/directives/repeat.js';
import {ask} from './connection.js';
import {bar, mark, name} from './parts.js';
import {clock, percent, shown, short, time} from './words.js';

export class Upstreams {
  constructor(state) {
    this.state = state;
  }

  view() {
    const all = this.state.upstreams;
    return all.length === 0 ? html`<p class="quiet">There are no upstreams.</p>` : html`
      <div class="cards">${repeat(all, each => each.id, each => html`
        <section class="card" aria-label=${'Upstream ' + shown(each.id)}>
          <header><h2>${name(each.id)}</h2>
            ${mark({healthy: 'good', disabled: 'off'}[each.health] ?? 'bad', each.health)}</header>
          <p class="quiet">${name(each.url)}${each.models.length ? html` · ${each.models.map(shown).join(', ')}` : nothing}</p>
          <div class="tools">
            ${each.paused ? mark('warn', 'paused by an operator') : nothing}
            <button class="small" @click=${() => this.act(each, each.paused ? 'resume' : 'pause')}>${each.paused ? 'Resume' : 'Pause'}</button>
            ${each.health === 'unhealthy' || each.paused_until
              ? html`<button class="small" @click=${() => this.act(each, 'retry')}>Try again now</button>` : nothing}
          </div>
          ${each.disabled_because ? html`<p>disabled: ${shown(each.disabled_because)}</p>` : nothing}
          ${each.last_error ? html`<p>last error: ${shown(each.last_error.what)} at ${clock(each.last_error.at)}</p>` : nothing}
          ${each.paused_until ? html`<p>${mark('warn', 'paused until ' + clock(each.paused_until))}</p>` : nothing}
          ${each.holds.map(hold => html`<p>${name(hold.model)}${hold.one_tenant ? ' of one tenant' : ''}
            ${mark('warn', 'paused until ' + clock(hold.paused_until))}</p>`)}
          ${each.pools.map(pool => this.pool(pool))}
        </section>`)}
      </div>`;
  }

  async act(upstream, what) {
    this.state.problem = '';
    if (what === 'pause' && !confirm(`Pause upstream ${shown(upstream.id)}? Requests go elsewhere, or wait.`)) {
      return;
    }
    await this.state.asking(() => ask(`upstreams/${what}?id=${encodeURIComponent(upstream.id)}`, {method: 'POST'}));
  }

  pool(pool) {
    return html`
      <h3>${pool.name ? name(pool.name) : 'all models'} ${pool.paused_until
        ? mark('warn', 'paused until ' + clock(pool.paused_until)) : nothing}
        ${pool.throttled > 0 ? mark('warn', pool.throttled + ' × 429') : nothing}</h3>
      <p class="pair">here ${bar(pool.utilization, 'used here')} all instances ${bar(pool.utilization_global, 'used by all instances')}</p>
      ${pool.limits.length === 0 ? nothing : html`<table>
        <thead><tr><th scope="col">Limit</th><th scope="col">Used</th><th scope="col">All</th><th scope="col">Held</th>
          <th scope="col">Of</th><th scope="col">Provider says</th></tr></thead>
        <tbody>${pool.limits.map(each => html`<tr>
          <td>${each.measure.replaceAll('_', ' ')}${each.window_ms ? ' / ' + time(each.window_ms) : ''}</td>
          <td>${short(each.used)}</td><td>${short(each.used_global)}</td><td>${short(each.held)}</td>
          <td>${short(each.effective)}${each.effective < each.configured ? html` <span class="quiet">(of ${short(each.configured)})</span>` : nothing}</td>
          <td>${each.learned ? `${short(each.learned.limit)}, left ${short(each.learned.remaining)}, drift ${percent(each.learned.drift)}` : '–'}</td>
        </tr>`)}</tbody></table>`}`;
  }
}

const SPEND_EVERY = 5000;

export class Keys {
  constructor(state) {
    this.state = state;
    this.spend = [];
    this.budgets = [];
  }

  /** Reads the usage if this view is shown. */
  async look() {
    if (this.state.tab !== 'keys') {
      return;
    }
    const from = new Date(Date.now() - 30 * 86400000).toISOString().slice(0, 10);
    const found = await this.state.asking(() => ask(`usage?group_by=key&from=${from}`));
    const keys = await this.state.asking(() => ask('keys?use'));
    if (found) {
      const named = new Map((keys ?? []).map(each => [each.name, each]));
      this.spend = (found.rows ?? found).map(row => ({...row, of: named.get(row.key)}));
      this.spend.sort((a, b) => total(b) - total(a));
      this.budgets = budgets(keys ?? []);
      this.state.changed();
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), SPEND_EVERY);
  }

  view() {
    return html`${this.left()}${this.used()}`;
  }

  left() {
    return this.budgets.length === 0 ? nothing : html`
      <table class="wide" tabindex="0"><caption>Budgets as this instance knows them; least left first</caption>
        <thead><tr><th scope="col">Of</th><th scope="col">Budget</th><th scope="col">Used</th><th scope="col">Left</th>
          <th scope="col">Whole again</th><th scope="col">Last used</th><th scope="col">Refused in the last hour</th></tr></thead>
        <tbody>${repeat(this.budgets, each => each.owner + each.allows, each => html`<tr>
          <td>${name(each.owner)}</td><td>${shown(each.allows)}</td><td>${short(each.used)}</td><td>${short(each.left)}</td>
          <td>${clock(each.resets_at)}</td><td>${clock(each.key?.last_used_at)}</td>
          <td>${refusals(each.key)}</td></tr>`)}</tbody></table>`;
  }

  used() {
    return this.spend.length === 0 ? html`<p class="quiet">No key was used at this instance in the last 30 days.</p>` : html`
      <table class="wide" tabindex="0"><caption>Use by key in the last 30 days, as counted by this instance; most tokens first</caption>
        <thead><tr><th scope="col">Key</th><th scope="col">Group</th><th scope="col">Requests</th><th scope="col">Input tokens</th>
          <th scope="col">Output tokens</th><th scope="col">Price</th></tr></thead>
        <tbody>${repeat(this.spend.slice(0, 500), each => each.key, each => html`<tr>
          <td>${each.key ? name(each.key) : html`<span class="quiet">no key</span>`}</td>
          <td>${each.of?.group ? name(each.of.group) : '–'}</td><td>${short(each.requests)}</td>
          <td>${short(each.input_tokens)}</td><td>${short(each.output_tokens)}</td>
          <td>${each.price == null ? '–' : Number(each.price).toFixed(2)}</td></tr>`)}</tbody></table>`;
  }
}

/** The budgets of keys and groups, each once. */
function budgets(keys) {
  const all = new Map();
  for (const key of keys) {
    for (const each of (key.limits ?? []).filter(limit => limit.reason?.includes('budget'))) {
      all.set(each.owner + each.allows, {...each, key: each.owner === 'key ' + key.name ? key : null});
    }
  }
  return [...all.values()].sort((a, b) => a.left / a.limit - b.left / b.limit).slice(0, 500);
}

function refusals(key) {
  const all = Object.entries(key?.refused_last_hour ?? {}).sort((a, b) => b[1] - a[1]);
  return all.length === 0 ? '–' : all.map(([reason, count]) => `${short(count)} ${reason}`).join(', ');
}

function total(row) {
  return row.input_tokens + row.output_tokens;
}

const KINDS = ['all', 'queued', 'released', 'served', 'refused', 'expired', 'cancelled', 'shadowed', 'settled', 'budget', 'config', 'operated', 'sync',
  'lost'];

export class Events {
  constructor(state) {
    this.state = state;
    this.kind = 'all';
    this.held = false;
    this.frozen = [];
  }

  view() {
    const all = this.held ? this.frozen : this.state.events;
    const wanted = this.kind === 'all' ? all : all.filter(each => each.kind === this.kind);
    return html`
      <div class="tools">
        <label>Kind <select @change=${event => { this.kind = event.target.value; this.state.changed(); }}>
          ${KINDS.map(each => html`<option value=${each} ?selected=${each === this.kind}>${each}</option>`)}</select></label>
        <button @click=${() => this.hold()}>${this.held ? 'Go on' : 'Hold still'}</button>
        <a href="console/reasons">What reasons mean</a>
      </div>
      <table class="wide events" tabindex="0"><thead><tr><th scope="col">At</th><th scope="col">What</th><th scope="col">Endpoint</th>
        <th scope="col">Ticket</th><th scope="col">More</th></tr></thead>
      <tbody>${repeat(wanted.slice(0, 200), each => each.number, each => html`<tr>
        <td>${clock(each.at)}</td><td>${mark(each.tone, each.kind)}</td>
        <td>${each.endpoint ? name(each.endpoint) : '–'}</td><td>${each.ticket ?? ''}</td><td>${each.words.map(shown).join(', ')}</td></tr>`)}</tbody></table>
      ${wanted.length === 0 ? html`<p class="quiet">Nothing has happened since this page is open.</p>` : nothing}`;
  }

  hold() {
    this.held = !this.held;
    this.frozen = [...this.state.events];
    this.state.changed();
  }
}

export class Configuration {
  constructor(state) {
    this.state = state;
    this.text = '';
    this.told = '';
  }

  async look() {
    const found = await this.state.asking(() => ask('config'));
    if (found) {
      this.text = JSON.stringify(found, null, 2);
      this.state.changed();
    }
  }

  async reload() {
    this.state.problem = '';
    const done = await this.state.asking(() => ask('reload', {method: 'POST'}));
    this.told = done === undefined ? '' : 'Read again.';
    this.look();
  }

  view() {
    return html`
      <div class="tools"><button @click=${() => this.reload()}>Read the route files again</button>
        <span role="status" class="quiet">${this.told}</span></div>
      <pre tabindex="0" class="config">${this.text || '…'}</pre>`;
  }
}
