// Small components shared by several views.

import {html, nothing} from './lib/lit-html.js';
import {percent, shown, time} from './words.js';

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

/** A utilization as a bar, in the same colours as in the terminal, and as text. */
export function bar(share, label) {
  return html`<span class="bar"><meter min="0" max="1" low="0.7" high="0.9" optimum="0" value=${share ?? 0}
    aria-label=${label}></meter><span>${percent(share)}</span></span>`;
}

/** A badge with one word. */
export function mark(kind, text) {
  return text ? html`<span class=${'mark ' + kind}>${text}</span>` : nothing;
}

/** Percentiles of the waiting times of recently released tickets. */
export function waits(of) {
  return of ? `${time(of.p50_ms)} / ${time(of.p90_ms)} / ${time(of.p99_ms)}` : '–';
}
