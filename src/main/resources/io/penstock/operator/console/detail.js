// Detail view of one endpoint: utilization, waiting tickets and their reasons, and actions.

import {html, nothing} from './lib/lit-html.js';
import {repeat} from './lib/directives/repeat.js';
import {ask} from './connection.js';
import {Chart} from './chart.js';
import {mark, name, tone, trouble, waits} from './parts.js';
import {clock, shown, short, time, whole} from './words.js';

const LOOK_EVERY = 1000;
const MOST_TICKETS = 50;

/** The ticket's number, or the id of a request that is held without a ticket. */
function named(each) {
  return each.id ?? each.request_id;
}

export class Detail {
  constructor(state) {
    this.state = state;
    this.chart = new Chart();
    this.tickets = [];
    this.reasons = [];
    this.asked = null;
    this.told = '';
  }

  /** Shows another endpoint, or none if null. */
  show(path) {
    clearTimeout(this.timer);
    this.tickets = [];
    this.reasons = [];
    this.asked = null;
    this.config = null;
    this.told = '';
    this.path = path;
    this.chart.close();
    if (path !== null) {
      this.look(path);
      this.read(path);
    }
  }

  async read(path) {
    const found = await this.state.asking(() => ask('endpoints?path=' + encodeURIComponent(path)));
    if (found && this.path === path) {
      this.config = found[0]?.config;
      this.state.changed();
    }
  }

  async look(path) {
    const query = `tickets?path=${encodeURIComponent(path)}&limit=${MOST_TICKETS}`;
    const found = document.hidden ? null : await this.state.asking(() => ask(query));
    if (this.path !== path) {
      return;
    }
    if (found) {
      const reasons = found.length === 0 ? null
        : await this.state.asking(() => ask('endpoints/waiting?path=' + encodeURIComponent(path)));
      const asked = this.asked && await this.found(this.asked.id);
      if (this.path !== path) {
        return;
      }
      this.tickets = found;
      this.reasons = reasons?.reasons ?? [];
      if (asked && this.asked?.id === asked.id) {
        this.asked = asked;
      }
      this.state.changed();
    }
    this.timer = setTimeout(() => this.look(path), LOOK_EVERY);
  }

  async act(what) {
    const path = this.path;
    this.state.problem = '';
    const result = await this.state.asking(
        () => ask(`endpoints/${what}?path=${encodeURIComponent(path)}`, {method: 'POST'}));
    if (result !== undefined) {
      this.told = what === 'test' && result
        ? `Test: answered ${result.status} after ${time(result.waited_ms)}` : `Done: ${what}`;
      this.state.changed();
    }
  }

  /** Returns the explanation of a ticket, null if it has gone in the meantime. */
  async found(id) {
    try {
      return {...await ask('tickets/' + encodeURIComponent(id)), id};
    } catch {
      return null;
    }
  }

  async explain(id) {
    if (this.asked?.id === id) {
      this.asked = null;
    } else {
      const found = await this.state.asking(() => ask('tickets/' + encodeURIComponent(id)));
      this.asked = found ? {...found, id} : null;
    }
    this.state.changed();
  }

  async cancel(ticket) {
    if (!confirm(`Throw out ticket ${ticket.id}? Its client gets an error.`)) {
      return;
    }
    this.state.problem = '';
    await this.state.asking(() => ask('tickets/' + encodeURIComponent(ticket.id), {method: 'DELETE'}));
    this.tickets = this.tickets.filter(each => each.id !== ticket.id);
    this.state.changed();
  }

  view(row) {
    return html`
      <aside class="detail" aria-label=${'Endpoint ' + shown(row.path)}>
        <header>
          <h2>${name(row.path)}</h2>
          <button class="plain" aria-label="Close" @click=${() => this.state.choose(null)}>✕</button>
        </header>
        ${this.config?.note ? html`<p class="note">${whole(this.config.note)}</p>` : nothing}
        <div class="tools">
          ${row.paused
            ? html`<button @click=${() => this.act('resume')}>Resume</button>`
            : html`<button @click=${() => this.act('pause')}>Pause</button>`}
          <button @click=${() => this.act('test')}>Send a test request</button>
          ${trouble(row) ? html`<span class="state">${mark(tone(row), row.state.what)} ${trouble(row)}</span>` : nothing}
          <span role="status" class="quiet">${this.told}</span>
        </div>
        <dl class="figures">
          <div><dt>waiting</dt><dd>${short(row.queue_depth)}</dd></div>
          <div><dt>tokens waiting</dt><dd>${short(row.queued_tokens)}</dd></div>
          <div><dt>bytes waiting</dt><dd>${short(row.queued_bytes)}</dd></div>
          <div><dt>oldest</dt><dd>${row.queue_depth ? time(row.oldest_wait_ms) : '–'}</dd></div>
          <div><dt>waited, p50 / p90 / p99</dt><dd>${waits(row.waits)}</dd></div>
          <div><dt>limit</dt><dd>${row.limit ? shown(row.limit) : '–'}</dd></div>
          <div><dt>served</dt><dd>${short(row.served)}</dd></div>
          <div><dt><a href="console/reasons">refused</a></dt><dd>${short(row.refused)}</dd></div>
          <div><dt>expired</dt><dd>${short(row.expired)}</dd></div>
          <div><dt>cancelled</dt><dd>${short(row.cancelled)}</dd></div>
        </dl>
        <h3>Used and waiting, lately</h3>
        <div class="chart"><canvas id="chart" role="img" aria-label="Used share and tickets that wait, over time"></canvas></div>
        ${this.reasons.length > 0 ? html`
          <h3>Why they wait</h3>
          <div class="holds">${this.reasons.map(each => this.held(each, each.count + ' × '))}</div>` : nothing}
        <h3>What waits</h3>
        ${this.tickets.length === 0 ? html`<p class="quiet">Nothing waits.</p>` : this.table()}
        <h3>Configuration</h3>
        <pre tabindex="0">${this.config ? JSON.stringify(this.config, null, 2) : '…'}</pre>
      </aside>`;
  }

  table() {
    return html`
      <table class="tickets">
        <thead><tr><th scope="col">#</th><th scope="col">Ticket</th><th scope="col">Key</th>
          <th scope="col">Tokens</th><th scope="col">Waited</th><th scope="col">Still</th><th scope="col"></th></tr></thead>
        <tbody>${repeat(this.tickets, named, each => html`
          <tr>
            <td>${each.position ?? '–'}</td>
            <td><button class="plain link" aria-expanded=${this.asked?.id === named(each)}
              @click=${() => this.explain(named(each))}>${shown(named(each))}</button></td>
            <td>${each.key == null ? '–' : name(each.key)}</td>
            <td>${short((each.cost?.input_tokens ?? 0) + (each.cost?.output_tokens ?? 0))}</td>
            <td>${time(each.waited_ms)}</td><td>${each.expected_ms ? (each.bound ? '≥ ' : '') + time(each.expected_ms) : '–'}</td>
            <td>${each.id == null ? nothing : html`<button class="small"
              aria-label=${'Throw out ticket ' + each.id} @click=${() => this.cancel(each)}>throw out</button>`}</td>
          </tr>
          ${this.asked?.id === named(each) ? html`<tr class="why"><td colspan="7">${this.why()}</td></tr>` : nothing}`)}
        </tbody>
      </table>`;
  }

  held(binding, lead = 'Held: ') {
    return html`
      <p>${lead}<b>${shown(binding.detail)}</b>${binding.until ? `, until ${clock(binding.until)}` : nothing}</p>
      <p class="quiet">What would help: ${shown(binding.advice)}</p>`;
  }

  why() {
    const limits = this.asked.limits ?? [];
    return html`
      ${this.asked.binds ? this.held(this.asked.binds) : html`<p>Nothing holds it.</p>`}
      ${limits.length === 0 ? nothing : html`
        <table><thead><tr><th scope="col">Limit</th><th scope="col">Measure</th><th scope="col">Used</th>
          <th scope="col">Held</th><th scope="col">Of</th><th scope="col">Needs</th><th scope="col">Room</th></tr></thead>
        <tbody>${limits.map(each => html`<tr>
          <td>${each.kind} ${name(each.name)}</td><td>${each.measure}</td><td>${short(each.used)}</td>
          <td>${short(each.reserved)}</td><td>${short(each.limit)}</td><td>${short(each.needs)}</td>
          <td>${each.given ? 'it has it' : each.admits ? 'has room' : each.until == null ? 'given back' : clock(each.until)}</td></tr>`)}</tbody></table>`}`;
  }

  /** Draws the chart, after the view was rendered. */
  draw(history) {
    this.chart.draw(document.getElementById('chart'), history);
  }
}
