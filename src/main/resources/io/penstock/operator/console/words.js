// Formats of figures and names.

/** Invisible characters, which may affect how others are shown. */
// eslint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

const LONGEST = 160;

/** A name for display: invisible characters are escaped, and long names are truncated. */
export function shown(name) {
  const text = String(name).replace(UNSEEN, each =>
      '‹U+' + each.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0') + '›');
  return text.length > LONGEST ? text.slice(0, LONGEST) + '…' : text;
}

/** A number with at most three significant digits. */
export function short(number) {
  if (number == null) {
    return '–';
  }
  const steps = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e4, 'k', 1e3]];
  for (const [from, unit, by] of steps) {
    if (Math.abs(number) >= from) {
      return trimmed(number / (by ?? from)) + ' ' + unit;
    }
  }
  return Math.round(number).toLocaleString('en');
}

function trimmed(number) {
  return number >= 100 ? number.toFixed(0) : number.toPrecision(3).replace(/\.?0+$/, '');
}

/** A time in milliseconds. */
export function time(millis) {
  if (millis == null) {
    return '–';
  }
  if (millis < 1000) {
    return Math.round(millis) + ' ms';
  }
  const seconds = millis / 1000;
  if (seconds < 99.95) {
    return seconds.toFixed(1) + ' s';
  }
  if (seconds < 5940) {
    return Math.round(seconds / 60) + ' min';
  }
  return Math.round(seconds / 3600) + ' h';
}

export function percent(share) {
  return share == null ? '–' : Math.round(100 * share) + ' %';
}

/** The time of day of an RFC 3339 instant. */
export function clock(instant) {
  return instant == null ? '–' : new Date(instant).toLocaleTimeString('en-GB');
}

/** Bounds of the age classes of dots: below 1 s, 5 s, 15 s, 60 s, and more. */
export const AGES = [1000, 5000, 15000, 60000];

export function age(millis) {
  const found = AGES.findIndex(each => millis < each);
  return found < 0 ? AGES.length : found;
}

/** Returns advice on how to have a ticket released sooner. */
export function help(binding) {
  switch (binding.what) {
    case 'endpoint_paused': return 'Resume the endpoint.';
    case 'queue_full': return 'A larger max_queue_size, or fewer requests at a time.';
    case 'limit': return binding.measure === 'concurrency'
      ? 'A higher max_concurrency, if there may be one; or shorter answers.'
      : `A higher limit of ${(binding.measure ?? 'its own').replaceAll('_', ' ')}, if it may be higher`
        + (/tokens/.test(binding.measure ?? '') ? '; a smaller max_tokens, as what is expected is reserved' : '')
        + (binding.kind === 'upstream' ? '; another upstream beside it.' : '.');
    case 'slice': return 'Nothing: other instances have the rest, and the next round brings more.';
    case 'limit_recovering': return 'the end of the window, day or month that ran when Redis lost data.';
    case 'limit_unavailable': return 'Redis being in reach again; penstock.redis.on-outage says what is done until then.';
    case 'upstream_paused': return 'Another upstream beside it; a lower limit here, so that the provider does not refuse.';
    case 'upstream_unhealthy': return 'Another upstream beside it.';
    case 'kept_for_another': return 'Nothing: its turn comes after the one that waits for much.';
    default: return 'Nothing: its turn comes.';
  }
}
