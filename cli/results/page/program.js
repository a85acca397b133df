// The page of a recorded program: a map of arrivals, waiting by rank, and the longest wait.

/** Shows a text beside the pointer while it is over a picture; textAt(x, y) takes places in the picture, and returns '' for none. */
function explained(picture, width, textAt) {
  const tip = document.getElementById('tip');
  picture.onpointermove = event => {
    const box = picture.getBoundingClientRect(), scale = width / box.width;
    const text = textAt((event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
    tip.hidden = !text;
    tip.textContent = text;
    tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${event.clientY + 14}px`;
  };
  picture.onpointerleave = () => { tip.hidden = true; };
}

/** Returns the names of rows that have room, right of which a picture begins, and how wide they are. */
function rowNames(names, height) {
  const every = Math.ceil(names.length * 14 / height);
  const shown = names.map((name, i) => i % every === 0 ? name : '');
  return { shown, wide: Math.max(...shown.map(name => name ? textWidth(name) : 0)) + 10 };
}

/** Returns ticks of a scale of times below a picture. */
function timeAxis(scale, left, width, y, title) {
  const group = svg('g', { class: 'axis' });
  for (const tick of scale.ticks(Math.max(2, Math.floor(width / 90)))) {
    const x = left + width * scale.at(tick);
    group.append(svg('path', { class: 'grid', d: `M${x} ${y}v5` }), svg('text', { x, y: y + 18, 'text-anchor': 'middle' }, shortTime(tick)));
  }
  group.append(svg('text', { x: left + width / 2, y: y + 38, 'text-anchor': 'middle' }, title));
  return group;
}

/** Draws how late each rank is in each collective. */
function drawArrivals(data, width) {
  const names = data.rows, { number, late } = data.columns, rows = names.length, columns = number.length;
  const height = Math.max(120, Math.min(420, 18 * rows)), { shown, wide } = rowNames(names, height), w = width - wide - 6, top = 56;
  const sorted = Float32Array.from(late).sort(), most = sorted[Math.floor(0.99 * (sorted.length - 1))] || sorted.at(-1) || 1e-9;
  const at = (c, r) => late[c * rows + r];
  const picture = svg('svg', { viewBox: `0 0 ${width} ${top + height + 44}`, role: 'img', 'aria-label': 'How late each rank arrives at each collective' });
  const bar = Math.min(w, 340), scale = newScale(0, most);
  picture.append(svg('g', { class: 'axis' }, svg('text', { x: wide, y: 11 }, 'behind the first')));
  picture.append(svg('image', { href: pixels(100, 1, i => colour(i / 99)), x: wide, y: 18, width: bar, height: 10, preserveAspectRatio: 'none' }));
  const ticks = svg('g', { class: 'axis' });
  for (const tick of scale.ticks(4)) ticks.append(svg('text', { x: wide + bar * scale.at(tick), y: 44, 'text-anchor': tick ? 'middle' : 'start' }, shortTime(tick)));
  picture.append(ticks, svg('image', { href: pixels(columns, rows, (c, r) => colour(at(c, r) / most)), x: wide, y: top, width: w, height, preserveAspectRatio: 'none' }));
  const axis = svg('g', { class: 'axis' });
  shown.forEach((name, r) => axis.append(svg('text', { x: wide - 6, y: top + (r + 0.5) * height / rows + 4, 'text-anchor': 'end' }, name)));
  const every = Math.ceil(columns / Math.max(2, Math.floor(w / 70)));
  for (let c = 0; c < columns; c += every) axis.append(svg('text', { x: wide + (c + 0.5) * w / columns, y: top + height + 17, 'text-anchor': 'middle' }, count(number[c])));
  axis.append(svg('text', { x: wide + w / 2, y: top + height + 38, 'text-anchor': 'middle' }, 'collective'));
  picture.append(axis);
  explained(picture, width, (x, y) => {
    const c = Math.floor((x - wide) / w * columns), r = Math.floor((y - top) / height * rows);
    return c >= 0 && c < columns && r >= 0 && r < rows ? `${names[r]}, collective ${count(number[c])}\n${time(at(c, r))} behind the first` : '';
  });
  return [picture];
}

/** Draws how long each rank is in collectives, and waits there. */
function drawWaiting(data, width) {
  const { time: all, waiting } = data.columns, names = data.ranks, left = 62, height = 200, w = width - left - 6, step = Math.min(96, w / all.length);
  const scale = newScale(0, Math.max(...all, 1e-9), { log: false }), y = value => 8 + height * (1 - scale.at(value)), gap = step > 6 ? 1 : 0;
  const bars = values => Array.from(values, (v, i) => `M${left + i * step + gap} ${y(0)}V${y(v)}h${step - 2 * gap}V${y(0)}z`).join('');
  const picture = svg('svg', { viewBox: `0 0 ${width} ${height + 52}`, role: 'img', 'aria-label': 'Time in collectives by rank' });
  const axis = svg('g', { class: 'axis' });
  for (const tick of scale.ticks(4)) axis.append(svg('path', { class: 'grid', d: `M${left} ${y(tick)}h${w}` }), svg('text', { x: left - 6, y: y(tick) + 4, 'text-anchor': 'end' }, shortTime(tick)));
  picture.append(axis, svg('path', { class: 'other', d: bars(all) }), svg('path', { class: 'dot', d: bars(waiting) }));
  const every = Math.ceil(46 / step), below = svg('g', { class: 'axis' });
  for (let i = 0; i < names.length; i += every) below.append(svg('text', { x: left + (i + 0.5) * step, y: height + 24, 'text-anchor': 'middle' }, names[i].replace(/^rank (\d+).*/, '$1')));
  below.append(svg('text', { x: left + step * all.length / 2, y: height + 44, 'text-anchor': 'middle' }, 'rank'));
  picture.append(below);
  explained(picture, width, x => {
    const i = Math.floor((x - left) / step);
    return i >= 0 && i < names.length ? `${names[i]}\n${time(waiting[i])} of waiting\n${time(all[i])} in collectives` : '';
  });
  return [caption('In the whole run', [['area dot', 'waiting for the last one'], ['area other', 'the rest of the time in collectives']]), picture];
}

/** Draws what ranks did about the collective that they waited longest for. */
function drawWorst(data, width) {
  const names = data.moments, { begin, enter, leave, last: [last] } = data.columns, rows = names.length;
  const h = Math.max(7, Math.min(18, 420 / rows)), height = h * rows, { shown, wide } = rowNames(names, height), w = width - wide - 14;
  const scale = newScale(0, Math.max(...leave), { log: false }), x = t => wide + w * scale.at(t);
  const picture = svg('svg', { viewBox: `0 0 ${width} ${height + 56}`, role: 'img', 'aria-label': 'What ranks did before and in the collective that they waited longest for' });
  const bars = (from, to) => names.map((_, r) => `M${x(from(r))} ${4 + r * h + 1}H${x(Math.max(from(r), to(r)))}v${h - 2}H${x(from(r))}z`).join('');
  picture.append(
    svg('path', { class: 'computing', d: bars(r => begin[r], r => enter[r]) }), svg('path', { class: 'dot', d: bars(r => enter[r], r => Math.min(last, leave[r])) }),
    svg('path', { class: 'other', d: bars(r => Math.max(last, enter[r]), r => leave[r]) }), svg('path', { class: 'bound', d: `M${x(last)} 0V${height + 8}` }),
  );
  const axis = svg('g', { class: 'axis' });
  shown.forEach((name, r) => axis.append(svg('text', { x: wide - 6, y: 4 + (r + 0.5) * h + 4, 'text-anchor': 'end' }, name)));
  picture.append(axis, timeAxis(scale, wide, w, height + 10, 'time since the first of them began to compute'));
  explained(picture, width, (_, at) => {
    const r = Math.floor((at - 4) / h);
    return r >= 0 && r < rows ? `${names[r]}\ncomputes ${time(enter[r] - begin[r])}\nwaits ${time(Math.max(0, last - enter[r]))}` : '';
  });
  return [caption('From the collective before', [['area computing', 'computing'], ['area dot', 'waiting'], ['area other', 'the collective, after the last has come']]), picture];
}

async function start() {
  const data = await readData();
  for (const [id, draw] of [['arrivals-map', drawArrivals], ['waiting-bars', drawWaiting], ['worst-timeline', drawWorst]]) {
    const node = document.getElementById(id);
    if (node) drawn(node, width => draw(data, width));
  }
  document.documentElement.dataset.ready = 'yes';
}

start().catch(error => {
  const node = document.getElementById('failure');
  node.hidden = false;
  node.textContent = `The data of this page cannot be read: ${error.message}`;
  console.error(error);
});
