// Curves in a frame with two axes.

/**
 * A frame around a plot of two scales: {picture, x, y} with x(value) and y(value) the places.
 * Each axis is {scale, ticks: [[value, text]], title}; that of the vertical one stands in the caption.
 */
function newFrame(width, height, across, up, label) {
  const last = across.ticks.length ? textWidth(across.ticks.at(-1)[1]) / 2 : 0;
  const left = 14 + Math.max(...up.ticks.map(([, text]) => textWidth(text))), right = 8 + last, top = 8, bottom = 40;
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
  axes.append(svg('text', { x: (left + width - right) / 2, y: height - 4, 'text-anchor': 'middle' }, across.title));
  picture.append(axes);
  return { picture, x, y, left, right: width - right };
}

/** Returns an axis of times. */
function timeAxis(low, high, n, title) {
  const rough = newScale(low, high);
  const room = rough.log ? [low / 1.08, high * 1.08] : [Math.max(0, low - (high - low) * 0.08), high + (high - low) * 0.06];
  const scale = high > low ? newScale(...room, { log: rough.log }) : rough;
  return { scale, ticks: labelled(scale.ticks(n), shortTime), title: title + (scale.log ? ', logarithmic' : '') };
}

/** Returns the path through points [x, y]. */
function path(points) { return points.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join(''); }

/** Draws the mean completion time against T, with its interval, the lower bound, and the best T. */
function drawCurve(study, config, width) {
  const n = study.columns.results[config], best = study.best(config), all = [...Array(n).keys()];
  const of = name => all.map(t => study.summary(name, config, t));
  const mean = of('mean_s'), low = of('ci_low_s').map((v, t) => v > 0 ? v : mean[t]), high = of('ci_high_s'), bound = study.summary('floor_s', config, 0);
  const up = timeAxis(Math.min(bound, ...low), Math.max(...high), 4, `Mean ${study.what} time`);
  const every = Math.max(1, Math.ceil(n * 26 / (width - 90)));
  const across = { scale: newScale(-0.3, Math.max(n - 1, 1) + 0.3, { log: false }), ticks: all.map(t => [t, String(t)]).filter(([t]) => t % every === 0), title: 'T' };
  const { picture, x, y, left, right } = newFrame(width, 210, across, up, `Mean ${study.what} time against T; the best T is ${study.estimate(config)}`);
  const line = values => all.map(t => [x(t), y(values[t])]);
  picture.append(svg('path', { class: 'area', d: `${path([...line(high), ...line(low).reverse()])}Z` }));
  picture.append(svg('path', { class: 'bound', d: `M${left} ${y(bound)}H${right}` }));
  picture.append(svg('path', { class: 'line', d: path(line(mean)) }));
  for (const t of all) {
    picture.append(svg('path', { class: 'grid', d: `M${x(t)} ${y(low[t])}V${y(high[t])}` }));
    picture.append(svg('circle', { class: t === best ? 'chosen' : 'dot', cx: x(t), cy: y(mean[t]), r: t === best ? 5.5 : 3 }));
  }
  explore(picture, all.map(t => ({
    x: x(t), y: y(mean[t]),
    text: `T = ${t}${t === best ? ', best' : ''}\nmean ${time(mean[t], 4)}\nfrom ${time(low[t], 4)} to ${time(high[t], 4)}\nspeed-up ${ratio(study.speedup(config, t))}`,
  })));
  const entries = [['line', 'mean'], ['area', 'its interval'], ['chosen', 'best T'], ['bound', `lower bound ${time(bound)}`]];
  return [caption(up.title, entries), picture];
}

/** Draws the share of trials complete by a time, at each T of ts: [t, class, name]. */
function drawShares(study, config, ts, width) {
  const title = `Share of ${study.applications ? 'iterations' : 'trials'} within a time`;
  const curves = ts.map(([t, name, text]) => ({ name, text, points: study.distribution(config, t) })).filter(curve => curve.points.length);
  if (!curves.length) return [caption(title), html('p', { className: 'muted' }, 'The trials resolve no quantile above the median; the 90th percentile takes 100 trials.')];
  const values = curves.flatMap(curve => curve.points.map(([, v]) => v));
  const across = timeAxis(Math.min(...values), Math.max(...values), Math.floor(width / 110), `${study.what} time`);
  const up = { scale: newScale(0, 1, { log: false }), ticks: [0, 0.25, 0.5, 0.75, 1].map(v => [v, `${v * 100}%`]) };
  const { picture, x, y } = newFrame(width, 210, across, up, `Distribution of ${study.what} times`);
  const kind = study.shares.length ? 'line' : 'dot'; // between quantiles of the summary nothing is known
  for (const { name, points } of curves) {
    if (kind === 'line') picture.append(svg('path', { class: `line ${name}`, d: path(points.map(([share, v]) => [x(v), y(share)])) }));
    else picture.append(...points.map(([share, v]) => svg('circle', { class: `dot ${name}`, cx: x(v), cy: y(share), r: 4 })));
  }
  explore(picture, curves.flatMap(({ text, points }, row) => points.map(([share, v]) => ({
    row, x: x(v), y: y(share), text: `${text}\n${digits(share * 100, 3)}% within ${time(v, 4)}`,
  }))));
  return [caption(title, curves.map(({ name, text }) => [`${kind} ${name}`, text])), picture];
}
