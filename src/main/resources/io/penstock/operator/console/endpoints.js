// All endpoints, as a tree: what waits at each, for how long, and how much of its limits is used.

import {html, nothing} from './lib/lit-html.js';
import {repeat} from './lib/directives/repeat.js';
import {lines} from './tree.js';
import {bar, dots, mark, name} from './parts.js';
import {shown, short, time} from './words.js';

/** Lines beyond this are not drawn: a filter finds what is there. */
const MOST_LINES = 400;

export class Endpoints {
  constructor(state) {
    this.state = state;
    this.open = new Map();
    this.filter = '';
    this.focus = '';
  }

  view() {
    const all = lines([...this.state.rows.values()], this.open, this.filter);
    const drawn = all.slice(0, MOST_LINES);
    this.drawn = drawn;
    const tab = drawn.some(each => each.path === this.focus) ? this.focus : drawn[0]?.path;
    return html`
      <div class="tools">
        <input type="search" id="filter" placeholder="Filter by path  ( / )" aria-label="Filter by path"
          .value=${this.filter} @input=${event => this.filtered(event.target.value)}>
        <span class="quiet" role="status">${all.length > drawn.length
          ? `the first ${drawn.length} of ${all.length} lines` : nothing}</span>
        <span class="legend" aria-hidden="true">waits: <i class="a0"></i>&lt; 1 s <i class="a1"></i>&lt; 5 s
          <i class="a2"></i>&lt; 15 s <i class="a3"></i>&lt; 1 min <i class="a4"></i>longer</span>
      </div>
      <div class="grid endpoints" role="treegrid" aria-label="Endpoints" @keydown=${event => this.key(event)}>
        <div class="head" role="row">
          <span role="columnheader">Endpoint</span><span role="columnheader">Waiting</span>
          <span role="columnheader">Oldest</span>
          <span role="columnheader" title="Of those let go in the last minute, while somebody looks">p50 / p90 / p99</span>
          <span role="columnheader">Used</span><span role="columnheader">Held by</span>
          <span role="columnheader">Served</span><span role="columnheader">Refused</span>
        </div>
        ${repeat(drawn, each => each.path, each => this.line(each, each.path === tab))}
      </div>
      ${all.length === 0 ? html`<p class="quiet">${this.filter
        ? 'No endpoint has that in its path.' : 'There are no endpoints.'}</p>` : nothing}`;
  }

  line(line, tab) {
    const of = line.row && !(line.opened === false) ? line.row : line.sum;
    const row = line.row;
    const chosen = row !== null && row.path === this.state.chosen;
    return html`
      <div role="row" class=${'line' + (chosen ? ' chosen' : '')} data-path=${line.path}
        tabindex=${tab ? 0 : -1} aria-level=${line.depth + 1} aria-selected=${chosen}
        aria-expanded=${line.opened === null ? nothing : String(line.opened)}
        @click=${() => this.pressed(line)} @focus=${() => { this.focus = line.path; }}>
        <span role="gridcell" class=${'path d' + Math.min(line.depth, 8)}>
          <span class="twist" aria-hidden="true">${line.opened === null ? '' : line.opened ? '▾' : '▸'}</span>
          ${name(line.name)}
          ${row?.paused ? mark('warn', 'paused') : nothing}
          ${row?.dynamic ? mark('', 'dynamic') : nothing}
          ${row === null ? html`<span class="quiet">${of.endpoints}</span>` : nothing}
        </span>
        <span role="gridcell" class="waiting">${dots(of)}<b>${of.queue_depth === 0 ? nothing : short(of.queue_depth)}</b></span>
        <span role="gridcell">${of.queue_depth === 0 ? '–' : time(of.oldest_wait_ms)}</span>
        <span role="gridcell" class="waits">${row?.waits
          ? `${time(row.waits.p50_ms)} / ${time(row.waits.p90_ms)} / ${time(row.waits.p99_ms)}` : '–'}</span>
        <span role="gridcell">${bar(of.utilization, 'used of ' + shown(line.path))}</span>
        <span role="gridcell" class="binds">${row?.held_by ? shown(row.held_by) : '–'}</span>
        <span role="gridcell">${short(of.served)}</span>
        <span role="gridcell">${short(of.refused + of.expired)}</span>
      </div>`;
  }

  filtered(text) {
    this.filter = text;
    this.state.changed();
  }

  pressed(line) {
    this.focus = line.path;
    if (line.row === null) {
      this.open.set(line.path, !line.opened);
      this.state.changed();
    } else {
      this.state.choose(line.row.path);
    }
  }

  key(event) {
    const at = this.drawn.findIndex(each => each.path === event.target.dataset.path);
    if (at < 0) {
      return;
    }
    const line = this.drawn[at];
    const moves = {ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 20, PageUp: -20, Home: -1e6, End: 1e6};
    if (event.key in moves) {
      const to = Math.max(0, Math.min(this.drawn.length - 1, at + moves[event.key]));
      this.go(this.drawn[to].path);
    } else if (event.key === 'ArrowRight' && line.opened === false) {
      this.open.set(line.path, true);
      this.state.changed();
    } else if (event.key === 'ArrowLeft' && line.opened === true) {
      this.open.set(line.path, false);
      this.state.changed();
    } else if (event.key === 'ArrowLeft') {
      this.go(this.drawn.slice(0, at).findLast(each => each.depth < line.depth)?.path ?? line.path);
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.pressed(line);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  go(path) {
    this.focus = path;
    this.state.changed();
    this.state.drawn.then(() => document.querySelector(`[data-path="${CSS.escape(path)}"]`)?.focus());
  }
}
