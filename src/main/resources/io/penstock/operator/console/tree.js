// Endpoints as a tree of the segments of their paths.

/** With more endpoints than this, branches are closed by default. */
const MANY = 120;

function branch(name, path, depth) {
  return {name, path, depth, children: new Map(), row: null};
}

/** Builds a tree of rows; returns its root. */
export function grow(rows) {
  const root = branch('', '', -1);
  for (const row of rows) {
    let at = root;
    for (const part of row.path.split('/').slice(1)) {
      const path = at.path + '/' + part;
      if (!at.children.has(part)) {
        at.children.set(part, branch('/' + part, path, at.depth + 1));
      }
      at = at.children.get(part);
    }
    at.row = row;
  }
  return root;
}

/** Sums up the rows of a branch, including its own. */
function sums(node) {
  const sum = {
    endpoints: 0, queue_depth: 0, oldest_wait_ms: 0, served: 0, refused: 0, expired: 0,
    utilization: 0, ages: [0, 0, 0, 0, 0],
  };
  const add = (row, many) => {
    sum.endpoints += many;
    sum.queue_depth += row.queue_depth;
    sum.served += row.served;
    sum.refused += row.refused;
    sum.expired += row.expired;
    sum.oldest_wait_ms = Math.max(sum.oldest_wait_ms, row.oldest_wait_ms);
    sum.utilization = Math.max(sum.utilization, row.utilization);
    row.ages.forEach((count, i) => sum.ages[i] += count);
  };
  if (node.row) {
    add(node.row, 1);
  }
  for (const child of node.children.values()) {
    const below = sums(child);
    add(below, below.endpoints);
  }
  node.sum = sum;
  return sum;
}

/**
 * Returns the lines to show, from top to bottom.
 *
 * @param open for each path, whether the user opened it (true) or closed it (false)
 * @param filter part of the paths to show; empty for all
 */
export function lines(rows, open, filter) {
  const wanted = filter === '' ? rows : rows.filter(row => row.path.includes(filter));
  const root = grow(wanted);
  sums(root);
  const few = filter !== '' || wanted.length <= MANY;
  const all = [];
  walk(root, all, 0, node => open.get(node.path) ?? few);
  return all;
}

function walk(node, into, depth, isOpen) {
  const children = [...node.children.values()];
  children.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (let child of children) {
    let name = child.name;
    while (!child.row && child.children.size === 1) { // segments with a single child share its line
      child = child.children.values().next().value;
      name += child.name;
    }
    const opened = child.children.size > 0 ? isOpen(child) : null;
    into.push({name, path: child.path, depth, opened, row: child.row, sum: child.sum});
    if (opened) {
      walk(child, into, depth + 1, isOpen);
    }
  }
}
