// Draws each figure from the table below it: the page is complete without this file. Needs uPlot. No inline style is written as markup.
(() => {
  if (typeof uPlot === 'undefined') return;
  const NAMES = ['s-1', 's-2', 's-good', 's-warn', 's-bad', 's-line', 's-text'];
  const plots = new Map();

  /** Canvas knows no custom properties: an element of each class says what its colour is now. */
  const readColours = (figure) =>
    Object.fromEntries(
      NAMES.map((name) => {
        const probe = figure.appendChild(document.createElement('span'));
        probe.className = name;
        const { color } = getComputedStyle(probe);
        probe.remove();
        return [name, color];
      }),
    );

  const numberOf = (cell) => {
    const value = Number(cell.textContent);
    return Number.isFinite(value) ? value : null;
  };

  /** A value between two gaps is no line: it is drawn as a point. */
  const alone = (values, fill) => {
    const isThere = (value) => value !== null && value !== undefined;
    const places = values.flatMap((value, index) =>
      isThere(value) && !isThere(values[index - 1]) && !isThere(values[index + 1]) ? [index] : [],
    );
    return { show: places.length > 0, size: 4, fill, filter: () => places };
  };

  const draw = (figure) => {
    const place = figure.querySelector('.chart-canvas');
    const table = figure.querySelector('table');
    if (place === null || table === null) return;
    plots.get(figure)?.destroy();
    place.replaceChildren();
    const colours = readColours(figure);
    const lines = [...table.querySelectorAll('th[data-line]')].map((cell) => colours[cell.dataset.line]);
    const rows = [...table.tBodies[0].rows].reverse();
    const times = rows.map((row) => Date.parse(row.querySelector('time').dateTime) / 1000);
    const values = lines.map((_, index) => rows.map((row) => numberOf(row.cells[index + 1])));
    const { fontFamily } = getComputedStyle(figure);
    const axis = {
      font: `11px ${fontFamily}`,
      stroke: colours['s-text'],
      grid: { stroke: colours['s-line'], width: 1 },
      ticks: { show: false },
    };
    const readouts = [...figure.querySelectorAll('[data-read]')];
    const latest = readouts.map((each) => (each.dataset.latest ??= each.textContent));
    const unit = figure.dataset.unit;
    const read = ({ cursor: { idx } }) =>
      readouts.forEach((each, index) => {
        const value = idx === null || idx === undefined ? undefined : values[index][idx];
        each.textContent = value === undefined ? latest[index] : value === null ? '–' : `${value} ${unit}`;
      });
    const options = {
      padding: [8, 4, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
      scales: { y: { range: (_plot, _low, high) => [0, (high ?? 1) * 1.1 || 1] } },
      axes: [
        {
          ...axis,
          size: 28,
          grid: { show: false },
          values: (_, splits) => splits.map((s) => new Date(s * 1e3).toISOString().slice(11, 16)),
        },
        { ...axis, size: 48, space: 30, values: (_, splits) => splits.map((s) => (s === 0 ? '0' : `${s}`)) },
      ],
      series: [
        {},
        ...lines.map((stroke, index) => ({
          stroke,
          width: 1.75,
          points: alone(values[index], stroke),
          spanGaps: false,
        })),
      ],
      hooks: { setCursor: [read] },
    };
    // An empty place is hidden, and has no width.
    place.append(document.createElement('span'));
    options.width = place.clientWidth;
    options.height = place.clientHeight;
    place.replaceChildren();
    plots.set(figure, new uPlot(options, [times, ...values], place));
  };

  const start = () => {
    for (const figure of document.querySelectorAll('figure.chart')) {
      if (plots.has(figure)) continue;
      const details = figure.querySelector('details');
      // The console puts back what a person has opened.
      if (details !== null && details.dataset.opened === undefined) details.open = false;
      draw(figure);
    }
    for (const figure of plots.keys()) if (!figure.isConnected) plots.delete(figure);
  };
  const again = () => {
    for (const figure of plots.keys()) draw(figure);
  };

  start();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  let waiting;
  addEventListener('resize', () => {
    clearTimeout(waiting);
    waiting = setTimeout(again, 120);
  });
  // The console replaces the content of a page when something has changed.
  new MutationObserver(start).observe(document.body, { childList: true });
})();
