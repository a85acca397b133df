// The heat map: any measure over any two axes.

// The measures; value(study, config, t). Those of the choice have no parameter t.
const measures = {
  slowdown: { title: 'slow-down by noise', value: (s, i, t) => s.slowdown(i, t), write: ratio, tick: v => `${digits(v, 3)}×` },
  speedup: { title: 'speed-up over T = 0', value: (s, i, t) => s.speedup(i, t), write: ratio, tick: v => `${digits(v, 3)}×` },
  t_star: { title: 'T*', value: (s, i) => s.choice('t_star', i), write: String, tick: v => digits(v, 3), whole: true },
  mean_s: { title: 'mean completion time', value: (s, i, t) => s.summary('mean_s', i, t), write: time, tick: shortTime },
  p99_s: { title: 'p99 completion time', value: (s, i, t) => s.summary('p99_s', i, t), write: time, tick: shortTime },
  confidence: { title: 'confidence of T*', value: (s, i) => s.choice('confidence', i), write: percent, tick: v => `${digits(v * 100, 3)} %`, whole: true },
};

// Vertical axes besides those of the study: none, if there is one axis only, or one row for each combination of all others.
const none = -1, others = -2;

class HeatMap {
  constructor(study, choose) {
    this.study = study;
    this.choose = choose;
    this.measure = 'slowdown';
    this.t = '0';
    this.places = study.axes.map(() => 0); // index of the cursor on each axis, and so the values of axes that are not drawn
    const byLength = [...study.axes.keys()].sort((a, b) => study.axes[b].labels.length - study.axes[a].labels.length);
    const ranks = study.axes.findIndex(axis => axis.column === 'ranks');
    this.x = byLength.slice(0, 2).includes(ranks) ? ranks : byLength[0];
    this.y = byLength.find(a => a !== this.x) ?? none;
    this.combined = study.axes.length > 2 ? this.combinations() : [];
    if (this.combined.length > 0 && this.combined.length <= 12) this.y = others;
    this.node = document.getElementById('map-chart');
    this.controls();
    this.rescale();
    this.redraw = drawn(this.node, width => this.draw(width));
  }

  /** Returns the distinct combinations of all axes but the horizontal one; none if they are many. */
  combinations() {
    const seen = new Map();
    for (let i = 0; i < this.study.size; i++) {
      const places = this.study.index.map((values, a) => a === this.x ? 0 : values[i]);
      seen.set(places.join(), places);
      if (seen.size > 40) return [];
    }
    return [...seen.values()];
  }

  /** Returns the indices of each row's cells, from the top; on the horizontal axis they are the cell's own. */
  lines() {
    if (this.y === others) return this.combined;
    if (this.y === none) return [this.places];
    return this.study.axes[this.y].labels.map((_, i) => this.places.with(this.y, i)).reverse();
  }

  /** Returns the title of the vertical axis, and the labels of its rows. */
  upAxis() {
    const { axes } = this.study;
    if (this.y === none) return { title: '', ticks: [''] };
    if (this.y !== others) return { title: axes[this.y].title, ticks: [...axes[this.y].ticks].reverse() };
    const rest = [...axes.keys()].filter(a => a !== this.x);
    return { title: rest.map(a => axes[a].title).join(', '), ticks: this.combined.map(places => rest.map(a => axes[a].labels[places[a]]).join(', ')) };
  }

  /** Returns the T whose value is shown for a configuration. */
  tOf(config) { return this.t === 'star' ? this.study.choice('t_star', config) : Number(this.t); }

  value(config) { return config === undefined ? NaN : measures[this.measure].value(this.study, config, this.tOf(config)) ?? NaN; }

  /** Sets the scale, which covers all configurations, so that it is the same for all values of the other axes. */
  rescale() {
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < this.study.size; i++) {
      const v = this.value(i);
      if (Number.isFinite(v)) [low, high] = [Math.min(low, v), Math.max(high, v)];
    }
    const whole = measures[this.measure].whole;
    this.scale = whole ? newScale(0, Math.max(high, 1), { log: false }) : newScale(low, high);
  }

  controls() {
    const node = document.getElementById('map-controls'), { axes, most } = this.study;
    const change = f => value => {
      f(value);
      const at = [...node.querySelectorAll('select')].indexOf(document.activeElement);
      this.controls();
      if (at >= 0) node.querySelectorAll('select')[at]?.focus();
      this.rescale();
      this.redraw();
    };
    const titles = axes.map((axis, a) => [a, axis.title]);
    const ofChoice = measures[this.measure].value.length < 3;
    const ts = [['star', 'T*'], ...Array.from({ length: most }, (_, t) => [t, `T = ${t}`])];
    const at = select('at', ts, this.t, change(value => { this.t = value; }));
    at.querySelector('select').disabled = ofChoice;
    node.replaceChildren(select('Show', Object.entries(measures).map(([name, m]) => [name, m.title]), this.measure, change(value => { this.measure = value; })), at);
    if (axes.length < 2) return;
    const all = axes.length > 2 ? [[others, 'all others']] : [];
    node.append(select('across', titles, this.x, change(value => this.setAxes(Number(value), this.y))));
    node.append(select('up', [...titles, ...all], this.y, change(value => this.setAxes(this.x, Number(value)))));
    axes.forEach((axis, a) => {
      if (a === this.x || a === this.y || this.y === others) return;
      node.append(select(axis.title, axis.labels.map((label, i) => [i, label]), this.places[a], change(value => { this.places[a] = Number(value); })));
    });
  }

  /** Sets the horizontal and the vertical axis. If they would be the same, they swap. */
  setAxes(x, y) {
    if (x === y) [x, y] = x === this.x ? [this.y === others ? Number(x === 0) : this.y, y] : [x, this.x];
    [this.x, this.y] = [x, y];
    this.combined = this.combinations();
    if (y === others && this.combined.length === 0) this.y = Number(x === 0);
  }

  /** Returns the configuration of a cell, counted from the top left. */
  cell(column, row) { return this.study.find(this.shown[row].with(this.x, column)); }

  /** Moves the cursor to a configuration. */
  show(config) {
    this.places = this.study.index.map(values => values[config]);
    this.controls();
    this.redraw();
  }

  draw(width) {
    const x = this.study.axes[this.x], y = this.upAxis();
    this.shown = this.lines();
    this.columns = x.ticks.length;
    this.rows = this.shown.length;
    const left = this.y === none ? 4 : 26 + Math.max(...y.ticks.map(textWidth)), top = 58, right = 6;
    const w = (width - left - right) / this.columns;
    const h = Math.min(Math.max(420 / this.rows, 2), Math.max(44, Math.min(w, 60)));
    const height = h * this.rows;
    this.frame = { left, top, w, h };
    const picture = svg('svg', {
      class: 'heat', viewBox: `0 0 ${width} ${top + height + 46}`, tabindex: 0, role: 'application',
      'aria-roledescription': 'heat map', 'aria-label': `${measures[this.measure].title} over ${x.title}${y.title ? ` and ${y.title}` : ''}`,
    });
    picture.append(this.legend(left, width - left - right), this.cells(left, top, w, h));
    picture.append(this.xTicks(x, left, top + height, w), this.yTicks(y, left, top, h, height));
    this.outline = svg('g');
    picture.append(this.outline);
    this.moveCursor();
    this.listen(picture);
    return picture;
  }

  /** Returns the scale of colours with its ticks and the title of the picture. */
  legend(left, room) {
    const measure = measures[this.measure], width = Math.min(room, 340), group = svg('g', { class: 'axis' });
    const at = measure.value.length < 3 ? '' : this.t === 'star' ? ' at T*' : ` at T = ${this.t}`;
    const rest = this.study.axes.map((axis, a) => a === this.x || a === this.y || this.y === others ? '' : `, ${axis.title} ${axis.labels[this.places[a]]}`).join('');
    group.append(svg('text', { x: left, y: 11 }, measure.title + at + rest));
    group.append(svg('image', { href: pixels(100, 1, i => colour(i / 99)), x: left, y: 18, width, height: 10, preserveAspectRatio: 'none' }));
    for (const tick of this.scale.ticks(Math.max(2, Math.floor(width / 70)))) {
      if (measure.whole && measure.write === String && !Number.isInteger(tick)) continue;
      const x = left + width * this.scale.at(tick);
      group.append(svg('path', { class: 'grid', d: `M${x} 28v4` }), svg('text', { x, y: 44, 'text-anchor': 'middle' }, measure.tick(tick)));
    }
    return group;
  }

  cells(left, top, w, h) {
    const { columns, rows } = this, group = svg('g'), texts = svg('g');
    const at = (c, r) => this.value(this.cell(c, r));
    const image = pixels(columns, rows, (c, r) => {
      const value = at(c, r);
      return Number.isFinite(value) ? colour(this.scale.at(value)) : null;
    });
    group.append(svg('rect', { class: 'hole', x: left, y: top, width: w * columns, height: h * rows }));
    group.append(svg('image', { href: image, x: left, y: top, width: w * columns, height: h * rows, preserveAspectRatio: 'none' }));
    if (Math.min(w, h) < 14) return group;
    let gaps = '';
    for (let c = 1; c < columns; c++) gaps += `M${left + c * w} ${top}v${h * rows}`;
    for (let r = 1; r < rows; r++) gaps += `M${left} ${top + r * h}h${w * columns}`;
    group.append(svg('path', { class: 'gap', d: gaps }));
    for (let r = 0; r < rows && h >= 16; r++) {
      for (let c = 0; c < columns; c++) {
        const value = at(c, r);
        if (!Number.isFinite(value)) continue;
        const text = this.short(value);
        if (textWidth(text) > w) continue;
        const tone = isLight(colour(this.scale.at(value))) ? 'dark' : 'light';
        texts.append(svg('text', { class: `cell ${tone}`, x: left + (c + 0.5) * w, y: top + (r + 0.5) * h + 4 }, text));
      }
    }
    group.append(texts);
    return group;
  }

  /** Returns a value with few digits, for a cell. */
  short(value) {
    switch (measures[this.measure].write) {
      case ratio: return padded(value, value < 10 ? 2 : 3);
      case percent: return String(Math.floor(value * 100 + 1e-4));
      case time: return shortTime(value, 2);
    }
    return String(value);
  }

  xTicks(axis, left, y, w) {
    const group = svg('g', { class: 'axis' }), room = Math.max(...axis.ticks.map(textWidth)) + 6;
    const every = Math.ceil(room / w);
    axis.ticks.forEach((tick, i) => {
      if (i % every) return;
      const x = left + (i + 0.5) * w;
      group.append(svg('text', { class: 'across', 'data-place': i, x, y: y + 17, 'text-anchor': 'middle' }, tick));
    });
    group.append(svg('text', { x: left + (w * axis.ticks.length) / 2, y: y + 38, 'text-anchor': 'middle' }, axis.title));
    return group;
  }

  yTicks(axis, left, top, h, height) {
    const group = svg('g', { class: 'axis' }), every = Math.ceil(16 / h);
    axis.ticks.forEach((tick, i) => {
      if (i % every) return;
      group.append(svg('text', { class: 'up', 'data-place': i, x: left - 8, y: top + (i + 0.5) * h + 4, 'text-anchor': 'end' }, tick));
    });
    const middle = top + height / 2;
    group.append(svg('text', { x: 0, y: 0, 'text-anchor': 'middle', transform: `translate(12 ${middle}) rotate(-90)` }, axis.title));
    return group;
  }

  /** Returns the column and the row of the cursor. */
  cursor() { return [this.places[this.x], this.shown.findIndex(line => line.with(this.x, this.places[this.x]).join() === this.places.join())]; }

  moveCursor() {
    const [c, r] = this.cursor(), { left, top, w, h } = this.frame;
    const box = { class: 'cursor', x: left + c * w, y: top + r * h, width: w, height: h };
    this.outline.replaceChildren(svg('rect', box), svg('rect', box));
  }

  describe(config) {
    if (config === undefined) return 'not in the study';
    const { study } = this, measure = measures[this.measure], value = this.value(config);
    const t = measure.value.length < 3 ? '' : ` at T = ${this.tOf(config)}`;
    return `${study.name(config)}\n${measure.title}${t}: ${Number.isFinite(value) ? measure.write(value) : 'no such T'}\nT* = ${study.choice('t_star', config)}, `
      + `gain ${ratio(study.choice('speedup', config))}, confidence ${percent(study.choice('confidence', config))}`;
  }

  /** Returns the cell under the pointer as [column, row], or null. */
  under(event, picture) {
    const box = picture.getBoundingClientRect(), factor = picture.viewBox.baseVal.width / box.width, { left, top, w, h } = this.frame;
    const c = Math.floor(((event.clientX - box.left) * factor - left) / w), r = Math.floor(((event.clientY - box.top) * factor - top) / h);
    return c >= 0 && c < this.columns && r >= 0 && r < this.rows ? [c, r] : null;
  }

  listen(picture) {
    picture.onmousemove = event => {
      const at = this.under(event, picture);
      tip(event, at ? this.describe(this.cell(...at)) : '');
    };
    picture.onmouseleave = event => tip(event, '');
    picture.onclick = event => {
      const at = this.under(event, picture);
      if (at) this.go(...at, true);
    };
    picture.onkeydown = event => {
      const [c, r] = this.cursor();
      const to = {
        ArrowLeft: [c - 1, r], ArrowRight: [c + 1, r], ArrowUp: [c, r - 1], ArrowDown: [c, r + 1],
        Home: [0, r], End: [this.columns - 1, r], Enter: [c, r], ' ': [c, r],
      }[event.key];
      if (!to || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.go(Math.min(Math.max(to[0], 0), this.columns - 1), Math.min(Math.max(to[1], 0), this.rows - 1), event.key === 'Enter' || event.key === ' ');
    };
  }

  /** Moves the cursor to a cell, and shows its configuration in detail if pick is true. */
  go(column, row, pick) {
    this.places = this.shown[row].with(this.x, column);
    this.moveCursor();
    const config = this.cell(column, row);
    document.getElementById('map-status').textContent = this.describe(config).replaceAll('\n', '; ');
    if (pick && config !== undefined) this.choose(config);
  }
}
