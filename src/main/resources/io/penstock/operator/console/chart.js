// Chart with two lines over time: utilization, and number of waiting requests.

import './lib/chart.js';

const {Chart: Plot} = globalThis;

export class Chart {
  close() {
    this.plot?.destroy();
    this.plot = null;
  }

  /** Draws points of {at, used, waiting} on a canvas, which may change between calls. */
  draw(canvas, points) {
    if (canvas === null) {
      return;
    }
    if (this.plot && this.plot.canvas !== canvas) {
      this.close();
    }
    const style = getComputedStyle(document.documentElement);
    this.plot ??= new Plot(canvas, options(style));
    const now = Date.now();
    const age = points.length === 0 ? 0 : (now - points[0].at) / 1000;
    const seconds = age < 60 ? 60 : age < 120 ? 120 : 300;
    this.plot.options.scales.x.min = -seconds;
    this.plot.options.scales.x.ticks.stepSize = seconds / 5;
    this.plot.data.datasets[0].data = points.map(each => ({x: (each.at - now) / 1000, y: 100 * each.used}));
    this.plot.data.datasets[1].data = points.map(each => ({x: (each.at - now) / 1000, y: each.waiting}));
    this.plot.update('none');
  }
}

function options(style) {
  const colour = name => style.getPropertyValue(name).trim();
  const line = (label, of, axis) => ({
    label, yAxisID: axis, borderColor: of, backgroundColor: of, borderWidth: 2, pointRadius: 0, stepped: true,
  });
  return {
    type: 'line',
    data: {datasets: [line('used, %', colour('--accent'), 'used'), line('waiting', colour('--age-3'), 'waiting')]},
    options: {
      animation: false, responsive: true, maintainAspectRatio: false, parsing: false, normalized: true,
      events: [],
      scales: {
        x: {type: 'linear', min: -300, max: 0, grid: {color: colour('--line')},
          ticks: {color: colour('--quiet'), callback: value => value === 0 ? 'now' : value + ' s'}},
        used: {min: 0, max: 100, position: 'left', grid: {color: colour('--line')},
          ticks: {color: colour('--quiet'), callback: value => value + ' %'}},
        waiting: {min: 0, suggestedMax: 5, position: 'right', grid: {display: false},
          ticks: {color: colour('--quiet'), precision: 0}},
      },
      plugins: {legend: {labels: {color: colour('--text'), boxWidth: 14, boxHeight: 2}}},
    },
  };
}
