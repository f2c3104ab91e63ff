// Communicates with the operator port. The token, if one is needed, is only kept in this tab.

const TOKEN = 'penstock-token';

/** Thrown if the operator port rejects the token. */
export class Locked extends Error {}

/** Thrown if the operator port answers with a problem; the message is the problem's detail. */
export class Problem extends Error {}

export function token() {
  return sessionStorage.getItem(TOKEN) ?? '';
}

export function remember(token) {
  sessionStorage.setItem(TOKEN, token);
}

export function forget() {
  sessionStorage.removeItem(TOKEN);
}

function headers(more) {
  return token() ? {...more, Authorization: `Bearer ${token()}`} : {...more};
}

async function checked(response) {
  if (response.status === 401) {
    throw new Locked(token() ? 'That is not the operator token.' : 'This needs the operator token.');
  }
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    throw new Problem(problem.detail ?? `the gateway answered ${response.status}`);
  }
  return response;
}

/** Sends one request; returns the JSON of the answer, or null if it has no body. */
export async function ask(path, {method = 'GET', body} = {}) {
  const response = await fetch(path, {
    method,
    headers: headers(body === undefined ? {} : {'Content-Type': 'application/json'}),
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await (await checked(response)).text();
  return text === '' ? null : JSON.parse(text);
}

const FIRST_PAUSE = 250;
const LAST_PAUSE = 5000;
/** A stream that is silent for this long is considered lost: it sends something every 15 s. */
const SILENCE = 40000;
/** Longest wait for an answer: a stopping gateway may accept a request and never answer it. */
const PATIENCE = 4000;

/**
 * Reads server-sent events, and reconnects when the connection is lost.
 *
 * @param path path of the stream
 * @param told called with the name and the data of each event
 * @param state called with true when connected, and with false when disconnected
 * @param locked called when the token is rejected; reading ends then
 * @return a function that ends the reading
 */
export function follow(path, told, state, locked) {
  let ended = false;
  let abort = new AbortController();
  let pause = FIRST_PAUSE;

  async function read() {
    const own = new AbortController(); // one for each attempt, so that an old timer cannot abort a later one
    abort = own;
    let late = setTimeout(() => own.abort(), PATIENCE);
    const heard = () => {
      clearTimeout(late);
      late = setTimeout(() => own.abort(), SILENCE);
    };
    try {
      const response = await checked(
          await fetch(path, {headers: headers({Accept: 'text/event-stream'}), signal: own.signal}));
      heard();
      state(true);
      pause = FIRST_PAUSE;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        heard();
        const blocks = (text + part.value).split('\n\n');
        text = blocks.pop();
        blocks.forEach(dispatch);
      }
    } finally {
      clearTimeout(late);
    }
  }

  function dispatch(block) {
    let name = 'message';
    const data = [];
    for (const line of block.split('\n')) {
      if (line.startsWith('event:')) {
        name = line.slice(6).trim();
      } else if (line.startsWith('data:')) {
        data.push(line.slice(5));
      }
    }
    if (data.length > 0) {
      told(name, JSON.parse(data.join('\n')));
    }
  }

  async function run() {
    while (!ended) {
      try {
        await read();
      } catch (failure) {
        if (failure instanceof Locked) {
          ended = true;
          locked(failure);
          return;
        }
      }
      if (!ended) {
        state(false);
        await new Promise(then => setTimeout(then, pause * (0.75 + Math.random() / 2)));
        pause = Math.min(LAST_PAUSE, 2 * pause);
      }
    }
  }

  run();
  return () => {
    ended = true;
    abort.abort();
  };
}
