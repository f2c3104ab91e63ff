// Formats of figures and names.

/** Invisible characters, which may affect how others are shown. */
// eslint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

const LONGEST = 160;

/** A name for display: invisible characters are escaped, and long names are truncated. */
export function shown(name) {
  const text = whole(name);
  return text.length > LONGEST ? text.slice(0, LONGEST) + '…' : text;
}

/** A text for display whose length is bounded: invisible characters are escaped. */
export function whole(bounded) {
  return String(bounded).replace(UNSEEN, each =>
      '‹U+' + each.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0') + '›');
}

// Figures have the same form as in the terminal: see FigureText.java.

function digits(number) {
  return (Math.round(number * 10) / 10).toFixed(1);
}

/** A count; a long one in thousands, millions and so on. */
export function short(number) {
  if (number == null) {
    return '–';
  }
  if (number < 1e4) {
    return String(Math.round(Math.max(0, number)));
  }
  let rest = number;
  let unit = -1;
  while (rest >= 999.5) {
    rest /= 1000;
    unit++;
  }
  return (rest < 99.95 ? digits(rest).replace('.0', '') : rest.toFixed(0)) + 'KMGTPE'[unit];
}

/** A time in milliseconds. */
export function time(millis) {
  if (millis == null) {
    return '–';
  }
  if (millis < 1000) {
    return Math.round(Math.max(0, millis)) + 'ms';
  }
  if (millis < 99950) {
    return digits(millis / 1000) + 's';
  }
  const two = number => String(Math.floor(number)).padStart(2, '0');
  const minutes = Math.floor(millis / 6e4);
  if (minutes < 10) {
    return minutes + 'm' + two(millis % 6e4 / 1000) + 's';
  }
  const hours = Math.floor(minutes / 60);
  if (hours < 10) {
    return hours < 1 ? minutes + 'm' : hours + 'h' + two(minutes % 60) + 'm';
  }
  return hours < 96 ? hours + 'h' : short(Math.floor(hours / 24)) + 'd';
}

export function percent(share) {
  return share == null ? '–' : Math.round(100 * Math.max(0, Math.min(9.99, share))) + '%';
}

/** The time of day of an RFC 3339 instant, with its date if that is not today. */
export function clock(instant) {
  if (instant == null) {
    return '–';
  }
  const at = new Date(instant);
  const time = at.toLocaleTimeString('en-GB');
  return at.toDateString() === new Date().toDateString()
    ? time : at.toLocaleDateString('en-GB', {day: 'numeric', month: 'short'}) + ' ' + time;
}
