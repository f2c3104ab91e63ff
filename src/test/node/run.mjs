// Runs cases of one client library, all at the same time, and prints a line of JSON for each:
//
//   node run.mjs LIBRARY GATEWAY_URL CASE@/ENDPOINT ...
//
// LIBRARY is a file beside this one; GATEWAY_URL has no slash at its end. A line holds the case as
// it was asked for (name), whether it passed (ok), and what it saw or why it failed (detail). The
// exit code is 0 when every case came to an end, passed or not.
import process from "node:process";

const CASE_MILLIS = 600_000;

const [library, gateway, ...wanted] = process.argv.slice(2);
const { cases } = await import(`./${library}.mjs`);

async function run(name) {
  const at = name.indexOf("@");
  const test = cases[name.slice(0, at)];
  if (!test) {
    throw new Error(`${library} has no such case, expected one of: ${Object.keys(cases).join(", ")}`);
  }
  return test(gateway + name.slice(at + 1));
}

function withinTime(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it ran for more than ${CASE_MILLIS} ms`)), CASE_MILLIS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function report(name) {
  try {
    return { name, ok: true, detail: String((await withinTime(run(name))) ?? "") };
  } catch (error) {
    return { name, ok: false, detail: String(error?.stack ?? error) };
  }
}

await Promise.all(
  wanted.map(async (name) => {
    const line = await report(name);
    process.stdout.write(JSON.stringify(line) + "\n");
  }),
);
// Connections that are kept alive, or a case that hangs, would keep the process.
process.exit(0);
