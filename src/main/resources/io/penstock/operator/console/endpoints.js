// Tree of all endpoints, with queue depth, waiting times and utilization of each.

import {html, nothing} from './lib/lit-html.js';
import {repeat} from './lib/directives/repeat.js';
import {lines} from './tree.js';
import {bar, dots, mark, name, tone, trouble, waits} from './parts.js';
import {shown, short, time} from './words.js';

/** Assumed height of a line, until one can be measured. */
const LINE_HEIGHT = 34;

export class Endpoints {
  constructor(state) {
    this.state = state;
    this.open = new Map();
    this.filter = '';
    this.focus = '';
    this.lines = [];
    this.from = 0;
    this.height = LINE_HEIGHT;
    this.wanted = null;
  }

  /** Returns the lines to draw: the visible ones, and half as many before and after. */
  seen(count) {
    const drawn = document.querySelectorAll('.endpoints .line');
    let above = 0;
    if (drawn.length > 0) {
      const top = drawn[0].getBoundingClientRect().top;
      this.height = Math.max(1, (drawn[drawn.length - 1].getBoundingClientRect().bottom - top) / drawn.length);
      above = (this.from * this.height - top) / this.height;
    }
    const screen = Math.ceil(innerHeight / this.height);
    let from = Math.floor(above - screen / 2);
    if (this.wanted !== null && (this.wanted < from || this.wanted >= from + 2 * screen)) {
      from = this.wanted - screen;
    }
    from = Math.max(0, Math.min(from, count - 2 * screen));
    return [from, Math.min(count, from + 2 * screen)];
  }

  view() {
    const all = lines([...this.state.rows.values()], this.open, this.filter);
    const [from, to] = this.seen(all.length);
    const drawn = all.slice(from, to);
    this.lines = all;
    this.from = from;
    const tab = drawn.some(each => each.path === this.focus) ? this.focus : drawn[0]?.path;
    return html`
      <div class="tools">
        <input type="search" id="filter" placeholder="Filter by path  ( / )" aria-label="Filter by path"
          .value=${this.filter} @input=${event => this.filtered(event.target.value)}>
        <span class="legend" aria-hidden="true">waits: <i class="a0"></i>&lt; 1 s <i class="a1"></i>&lt; 5 s
          <i class="a2"></i>&lt; 15 s <i class="a3"></i>&lt; 1 min <i class="a4"></i>longer</span>
      </div>
      <div class="grid endpoints" role="treegrid" aria-label="Endpoints" aria-rowcount=${all.length + 1} @keydown=${event => this.key(event)}>
        <div class="head" role="row">
          <span role="columnheader">Endpoint</span><span role="columnheader">Waiting</span>
          <span role="columnheader">Oldest</span>
          <span role="columnheader" title="Of those let go in the last minute, while somebody looks">p50 / p90 / p99</span>
          <span role="columnheader">Used</span><span role="columnheader">Held by</span>
          <span role="columnheader">Served</span><span role="columnheader">Refused</span>
        </div>
        <p role="presentation" .style=${`height: ${from * this.height}px`}></p>
        ${repeat(drawn, each => each.path, (each, at) => this.line(each, from + at + 2, each.path === tab))}
        <p role="presentation" .style=${`height: ${(all.length - to) * this.height}px`}></p>
      </div>
      ${all.length === 0 ? html`<p class="quiet">${this.filter
        ? 'No endpoint has that in its path.' : 'There are no endpoints.'}</p>` : nothing}`;
  }

  line(line, index, tab) {
    const of = line.row && !(line.opened === false) ? line.row : line.sum;
    const row = line.row;
    const chosen = row !== null && row.path === this.state.chosen;
    return html`
      <div role="row" class=${'line' + (chosen ? ' chosen' : '') + (of.queue_depth === 0 && !trouble(row) ? ' idle' : '')} data-path=${line.path}
        tabindex=${tab ? 0 : -1} aria-level=${line.depth + 1} aria-rowindex=${index} aria-selected=${chosen}
        aria-expanded=${line.opened === null ? nothing : String(line.opened)}
        @click=${() => this.pressed(line)} @focus=${() => { this.focus = line.path; }}>
        <span role="gridcell" class=${'path d' + Math.min(line.depth, 8)}>
          <span class="twist" aria-hidden="true">${line.opened === null ? '' : line.opened ? '▾' : '▸'}</span>
          ${name(line.name)}
          ${row && tone(row) ? mark(tone(row), row.state.what) : nothing}
          ${row?.dynamic ? mark('', 'dynamic') : nothing}
          ${row === null ? html`<span class="quiet">${of.endpoints}</span>` : nothing}
        </span>
        <span role="gridcell" class="waiting">${dots(of)}<b>${of.queue_depth === 0 ? nothing : short(of.queue_depth)}</b></span>
        <span role="gridcell">${of.queue_depth === 0 ? '–' : time(of.oldest_wait_ms)}</span>
        <span role="gridcell" class="waits">${waits(row?.waits)}</span>
        <span role="gridcell">${bar(of.utilization, 'used of ' + shown(line.path))}</span>
        <span role="gridcell" class=${'binds ' + tone(row)}>${trouble(row) || (row?.held_by ? shown(row.held_by) : '–')}</span>
        <span role="gridcell">${short(of.served)}</span>
        <span role="gridcell" class=${of.refused + of.expired > 0 ? 'warn' : ''}>${short(of.refused + of.expired)}</span>
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
    const at = this.lines.findIndex(each => each.path === event.target.dataset.path);
    if (at < 0) {
      return;
    }
    const line = this.lines[at];
    const moves = {ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 20, PageUp: -20, Home: -1e6, End: 1e6};
    if (event.key in moves) {
      const to = Math.max(0, Math.min(this.lines.length - 1, at + moves[event.key]));
      this.go(this.lines[to].path);
    } else if (event.key === 'ArrowRight' && line.opened === false) {
      this.open.set(line.path, true);
      this.state.changed();
    } else if (event.key === 'ArrowLeft' && line.opened === true) {
      this.open.set(line.path, false);
      this.state.changed();
    } else if (event.key === 'ArrowLeft') {
      this.go(this.lines.slice(0, at).findLast(each => each.depth < line.depth)?.path ?? line.path);
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
    this.wanted = this.lines.findIndex(each => each.path === path);
    this.state.draw(); // at once, because the next key refers to that line
    this.wanted = null;
    document.querySelector(`[data-path="${CSS.escape(path)}"]`)?.focus();
  }
}
