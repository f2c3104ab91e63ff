// Small components shared by several views.

import {html, nothing} from './lib/lit-html.js';
import {clock, percent, shown, time} from './words.js';

const MOST_DOTS = 32;

/** A name, isolated so that its characters cannot affect the text around it. */
export function name(text) {
  return html`<bdi class="name" title=${shown(text)}>${shown(text)}</bdi>`;
}

/** One dot for each waiting ticket, the oldest first, in the colour of its age. */
export function dots(row) {
  if (row.queue_depth === 0) {
    return html`<span class="quiet">–</span>`;
  }
  const all = [];
  const ages = row.ages;
  for (let each = ages.length - 1; each >= 0; each--) {
    for (let i = 0; i < ages[each] && all.length < MOST_DOTS; i++) {
      all.push(html`<i class=${'a' + each}></i>`);
    }
  }
  return html`<span class="dots" aria-hidden="true">${all}</span>`;
}

/** A utilization as a bar, which has one colour because a full quota is no fault, and as text. */
export function bar(share, label) {
  return html`<span class="bar"><meter min="0" max="1" value=${share ?? 0}
    aria-label=${label}></meter><span>${percent(share)}</span></span>`;
}

/** What keeps an endpoint from letting requests go, and until when; empty while it is open. */
export function trouble(row) {
  const state = row?.state;
  if (!state?.detail) {
    return '';
  }
  const until = state.until ? (state.what === 'failing' ? ', next try ' : ', until ') + clock(state.until) : '';
  return shown(state.detail) + until;
}

/** The kind of mark of a state of an endpoint. */
export function tone(row) {
  return {failing: 'bad', open: ''}[row?.state?.what ?? 'open'] ?? 'warn';
}

/** A badge with one word. */
export function mark(kind, text) {
  return text ? html`<span class=${'mark ' + kind}>${text}</span>` : nothing;
}

/** Percentiles of the waiting times of recently released tickets. */
export function waits(of) {
  return of ? `${time(of.p50_ms)} / ${time(of.p90_ms)} / ${time(of.p99_ms)}` : '–';
}
