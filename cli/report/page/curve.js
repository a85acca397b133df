// Curves in a frame with two axes.

/**
 * A frame around a plot of two scales: {picture, x, y} with x(value) and y(value) the places.
 * Each axis is {scale, ticks: [[value, text]], title}.
 */
function newFrame(width, height, across, up, label) {
  const left = 16 + Math.max(...up.ticks.map(([, text]) => textWidth(text))), right = 26, top = 22, bottom = 40;
  const x = value => left + (width - left - right) * across.scale.at(value);
  const y = value => height - bottom - (height - bottom - top) * up.scale.at(value);
  const picture = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label });
  const axes = svg('g', { class: 'axis' });
  for (const [value, text] of up.ticks) {
    axes.append(svg('path', { class: 'grid', d: `M${left} ${y(value)}H${width - right}` }), svg('text', { x: left - 8, y: y(value) + 4, 'text-anchor': 'end' }, text));
  }
  for (const [value, text] of across.ticks) {
    axes.append(svg('path', { class: 'grid', d: `M${x(value)} ${height - bottom}v5` }), svg('text', { x: x(value), y: height - bottom + 19, 'text-anchor': 'middle' }, text));
  }
  axes.append(svg('path', { class: 'grid', d: `M${left} ${height - bottom}H${width - right}` }));
  axes.append(svg('text', { x: left, y: 11 }, up.title), svg('text', { x: (left + width - right) / 2, y: height - 3, 'text-anchor': 'middle' }, across.title));
  picture.append(axes);
  return { picture, x, y, left, right: width - right };
}

/** Returns an axis of times. */
function timeAxis(low, high, n, title) {
  const rough = newScale(low, high);
  const room = rough.log ? [low / 1.08, high * 1.08] : [Math.max(0, low - (high - low) * 0.08), high + (high - low) * 0.06];
  const scale = high > low ? newScale(...room, { log: rough.log }) : rough;
  return { scale, ticks: scale.ticks(n).map(v => [v, shortTime(v)]), title: title + (scale.log ? ', logarithmic' : '') };
}

/** Returns the path through points [x, y]. */
function path(points) { return points.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join(''); }

/** Draws the mean completion time against T, with its interval, the lower bound, and T*. */
function drawCurve(study, config, width) {
  const n = study.columns.results[config], star = study.choice('t_star', config);
  const of = name => Array.from({ length: n }, (_, t) => study.summary(name, config, t));
  const mean = of('mean_s'), low = of('ci_low_s').map((v, t) => v > 0 ? v : mean[t]), high = of('ci_high_s'), bound = study.summary('floor_s', config, 0);
  const up = timeAxis(Math.min(bound, ...low), Math.max(...high), 4, 'mean');
  const every = Math.max(1, Math.ceil(n * 26 / (width - 90)));
  const across = { scale: newScale(-0.3, Math.max(n - 1, 1) + 0.3, { log: false }), ticks: mean.map((_, t) => [t, String(t)]).filter(([t]) => t % every === 0), title: 'T' };
  const frame = newFrame(width, 230, across, up, `Mean completion time against T; T* is ${star}`);
  const at = (values, t) => [frame.x(t), frame.y(values[t])];
  const all = mean.map((_, t) => t);
  frame.picture.append(svg('path', { class: 'area', d: `${path([...all.map(t => at(high, t)), ...all.reverse().map(t => at(low, t))])}Z` }));
  all.reverse();
  frame.picture.append(svg('path', { class: 'bound', d: `M${frame.left} ${frame.y(bound)}H${frame.right}` }));
  frame.picture.append(svg('text', { class: 'axis', x: frame.right, y: 11, 'text-anchor': 'end' }, `- - lower bound ${time(bound)}`));
  frame.picture.append(svg('path', { class: 'line', d: path(all.map(t => at(mean, t))) }));
  for (const t of all) {
    const [cx, cy] = at(mean, t);
    const text = `T = ${t}${t === star ? ' = T*' : ''}\nmean ${time(mean[t], 4)}\nfrom ${time(low[t], 4)} to ${time(high[t], 4)}\nspeed-up ${ratio(study.speedup(config, t))}`;
    frame.picture.append(svg('path', { class: 'grid', d: `M${cx} ${frame.y(low[t])}V${frame.y(high[t])}` }));
    frame.picture.append(svg('circle', { class: t === star ? 'chosen' : 'dot', cx, cy, r: t === star ? 5.5 : 3 }));
    if (t === star) frame.picture.append(svg('text', { class: 'c1', x: cx, y: cy - 12, 'text-anchor': 'middle' }, 'T*'));
    const target = svg('circle', { cx, cy, r: 12, fill: 'transparent' });
    target.onmousemove = event => tip(event, text);
    target.onmouseleave = event => tip(event, '');
    frame.picture.append(target);
  }
  return frame.picture;
}

/** Draws the share of trials complete by a time, at each T of ts: [t, class, name]. */
function drawShares(study, config, ts, width) {
  const curves = ts.map(([t, name, text]) => ({ t, name, text, points: study.distribution(config, t).filter(([, v]) => Number.isFinite(v)) }));
  const values = curves.flatMap(curve => curve.points.map(([, v]) => v));
  const across = timeAxis(Math.min(...values), Math.max(...values), Math.floor(width / 110), 'completion time');
  const up = { scale: newScale(0, 1, { log: false }), ticks: [0, 0.25, 0.5, 0.75, 1].map(v => [v, `${v * 100} %`]), title: 'share of trials within' };
  const frame = newFrame(width, 230, across, up, 'Distribution of completion times');
  let key = frame.right;
  for (const curve of [...curves].reverse()) {
    frame.picture.append(svg('path', { class: `line ${curve.name}`, d: path(curve.points.map(([share, v]) => [frame.x(v), frame.y(share)])) }));
    frame.picture.append(svg('text', { class: curve.name, x: key, y: 11, 'text-anchor': 'end' }, curve.text));
    key -= textWidth(curve.text) + 14;
    for (const [share, v] of curve.points) {
      const target = svg('circle', { cx: frame.x(v), cy: frame.y(share), r: 6, fill: 'transparent' });
      target.onmousemove = event => tip(event, `${curve.text}\n${digits(share * 100, 3)} % within ${time(v, 4)}`);
      target.onmouseleave = event => tip(event, '');
      frame.picture.append(target);
    }
  }
  return frame.picture;
}
