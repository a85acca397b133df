// The heat map: any measure over any two axes.

// The measures; value(study, config, t). Those of the choice have no parameter t. needs is a column
// without which, or without any number in it, a measure is left out.
const measures = {
  slowdown: { title: 'slow-down by noise', value: (s, i, t) => s.slowdown(i, t), write: ratio, tick: (v, n = 3) => `${digits(v, n)}×` },
  speedup: { title: 'speed-up over T = 0', value: (s, i, t) => s.speedup(i, t), write: ratio, tick: (v, n = 3) => `${digits(v, n)}×`, over: true },
  gain_low: { title: 'lower bound of the speed-up at T*', value: (s, i) => s.choice('gain_low', i), write: ratio, tick: (v, n = 3) => `${digits(v, n)}×` },
  t_estimate: { title: 'best T', value: (s, i) => s.best(i), write: String, tick: digits, whole: true },
  mean_s: { title: 'mean completion time', value: (s, i, t) => s.summary('mean_s', i, t), write: time, tick: shortTime },
  p99_s: { title: 'p99 completion time', value: (s, i, t) => s.summary('p99_s', i, t), write: time, tick: shortTime, needs: 'p99_s' },
  collective_share: { title: 'share of an iteration in the collective', value: (s, i) => s.choice('collective_share', i), write: percent, tick: (v, n = 3) => `${digits(v * 100, n)}%`, needs: 'collective_share' },
  collective_speedup: { title: 'speed-up of the collective in an iteration', value: (s, i) => s.choice('collective_speedup', i), write: ratio, tick: (v, n = 3) => `${digits(v, n)}×`, needs: 'collective_speedup' },
  noise_amplification: { title: 'noise that an iteration shows', value: (s, i) => s.choice('noise_amplification', i), write: ratio, tick: (v, n = 3) => `${digits(v, n)}×`, needs: 'noise_amplification' },
  confidence: { title: 'confidence in T*', value: (s, i) => s.choice('confidence', i), write: percent, tick: (v, n = 3) => `${digits(v * 100, n)}%`, whole: true },
};

// Vertical axes besides those of the study: none, if there is one axis only, or one row for each combination of all others.
const none = -1, others = -2;

const discrete = 24; // most whole numbers with a colour of their own in the legend

/** The map. It calls choose(config) for a cell that the user picks, and change() when it shows something else. */
class HeatMap {
  constructor(study, choose, change) {
    Object.assign(this, { study, choose, change });
    this.measures = Object.keys(measures).filter(name => !measures[name].needs || study.has(measures[name].needs));
    this.measure = 'speedup';
    this.t = 'best';
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

  /** Returns what the map shows, for the address. */
  selection() {
    const { axes } = this.study, up = this.y === none ? {} : { up: this.y === others ? 'all' : axes[this.y].column };
    return { show: this.measure, at: this.t, across: axes[this.x].column, ...up };
  }

  /** Shows what an address names, as far as there is such a thing. */
  select({ show, at, across, up }) {
    const axis = column => this.study.axes.findIndex(a => a.column === column);
    if (this.measures.includes(show)) this.measure = show;
    if (at === 'best' || /^[0-9]+$/.test(at) && Number(at) < this.study.most) this.t = at;
    const x = axis(across), y = up === 'all' && this.study.axes.length > 2 ? others : axis(up);
    if (x >= 0 && y !== x && (y !== -1 || this.study.axes.length === 1)) this.setAxes(x, y);
    this.refresh();
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
  tOf(config) { return this.t === 'best' ? this.study.best(config) : Number(this.t); }

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

  /** Draws all again. */
  refresh() {
    if (measures[this.measure].over && this.t === '0') this.t = 'best'; // over itself everything is 1
    this.controls();
    this.rescale();
    this.redraw();
  }

  controls() {
    const node = document.getElementById('map-controls'), { axes, most } = this.study, measure = measures[this.measure];
    const change = f => value => {
      f(value);
      const at = [...node.querySelectorAll('select')].indexOf(document.activeElement);
      this.refresh();
      if (at >= 0) node.querySelectorAll('select')[at]?.focus();
      this.change();
    };
    const titles = axes.map((axis, a) => [a, axis.title]);
    const ts = [['best', 'best T'], ...Array.from({ length: most }, (_, t) => [t, `T = ${t}`]).slice(measure.over ? 1 : 0)];
    const at = select('at', ts, this.t, change(value => { this.t = value; }));
    at.querySelector('select').disabled = measure.value.length < 3;
    node.replaceChildren(select('Show', this.measures.map(name => [name, measures[name].title]), this.measure, change(value => { this.measure = value; })), at);
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

  /** Moves the cursor to a configuration, and shows its values of the axes that are not drawn. */
  show(config) {
    const places = this.study.index.map(values => values[config]);
    const same = places.every((place, a) => place === this.places[a] || a === this.x || a === this.y || this.y === others);
    this.places = places;
    if (same) {
      this.moveCursor();
      return;
    }
    this.controls();
    this.redraw();
  }

  draw(width) {
    const x = this.study.axes[this.x], y = this.upAxis();
    this.shown = this.lines();
    this.columns = x.ticks.length;
    this.rows = this.shown.length;
    const left = this.y === none ? 4 : 26 + Math.max(...y.ticks.map(tick => textWidth(tick))), top = 4, right = 6;
    const w = (width - left - right) / this.columns;
    const h = Math.min(Math.max(420 / this.rows, 2), Math.max(44, Math.min(w, 60)));
    const height = h * this.rows;
    this.frame = { left, top, w, h };
    const picture = svg('svg', {
      class: 'heat', viewBox: `0 0 ${width} ${top + height + 44}`, tabindex: 0, role: 'application',
      'aria-roledescription': 'heat map', 'aria-label': `${measures[this.measure].title} over ${x.title}${y.title ? ` and ${y.title}` : ''}`,
    });
    picture.append(this.cells(left, top, w, h));
    picture.append(this.xTicks(x, left, top + height, w), this.yTicks(y, left, top, h, height));
    this.outline = svg('g');
    picture.append(this.outline);
    this.moveCursor();
    this.listen(picture);
    return [...this.legend(Math.min(width, 400)), picture];
  }

  /** Returns the title of the picture and its scale of colours: each number, of a few whole ones. */
  legend(width) {
    const measure = measures[this.measure];
    const at = measure.value.length < 3 ? '' : this.t === 'best' ? ' at the best T' : ` at T = ${this.t}`;
    const rest = this.study.axes.map((axis, a) => a === this.x || a === this.y || this.y === others ? '' : `, ${axis.title} ${axis.labels[this.places[a]]}`).join('');
    const title = caption(measure.title + at + rest);
    const hole = html('span', { className: 'swatch' }, svg('svg', { viewBox: '0 0 16 16' }, svg('rect', { class: 'hole', width: 16, height: 16 })), 'none');
    const holes = this.shown.some((_, r) => Array.from({ length: this.columns }, (_, c) => c).some(c => !Number.isFinite(this.value(this.cell(c, r))))) ? [hole] : [];
    if (measure.write === String && this.scale.high <= discrete) {
      const swatch = v => {
        const mark = svg('svg', { viewBox: '0 0 16 16' }, svg('rect', { width: 16, height: 16, fill: `rgb(${colour(this.scale.at(v))})` }));
        return html('span', { className: 'swatch' }, mark, String(v));
      };
      return [title, html('p', { className: 'swatches' }, ...Array.from({ length: this.scale.high + 1 }, (_, v) => swatch(v)), ...holes)];
    }
    const room = 24, ramp = svg('svg', { class: 'axis ramp', viewBox: `0 0 ${width} 30` });
    ramp.append(svg('image', { href: pixels(100, 1, i => colour(i / 99)), x: room, y: 0, width: width - 2 * room, height: 10, preserveAspectRatio: 'none' }));
    for (const [tick, text] of labelled(this.scale.ticks(Math.max(2, Math.floor(width / 70))), measure.tick)) {
      const x = room + (width - 2 * room) * this.scale.at(tick);
      ramp.append(svg('path', { class: 'grid', d: `M${x} 10v4` }), svg('text', { x, y: 26, 'text-anchor': 'middle' }, text));
    }
    return [title, ramp, ...holes.map(hole => html('p', { className: 'swatches' }, hole))];
  }

  cells(left, top, w, h) {
    const { columns, rows } = this, group = svg('g');
    const values = Array.from({ length: rows }, (_, r) => Array.from({ length: columns }, (_, c) => this.value(this.cell(c, r))));
    const tone = value => Number.isFinite(value) ? colour(this.scale.at(value)) : null;
    const box = { x: left, y: top, width: w * columns, height: h * rows };
    group.append(svg('rect', { class: 'hole', ...box }));
    group.append(svg('image', { href: pixels(columns, rows, (c, r) => tone(values[r][c])), ...box, preserveAspectRatio: 'none' }));
    const [texts, size] = this.labels(values, w, h);
    document.getElementById('map-small').hidden = size !== undefined; // numbers in all cells or in none
    if (Math.min(w, h) >= 14) {
      let gaps = '';
      for (let c = 1; c < columns; c++) gaps += `M${left + c * w} ${top}v${h * rows}`;
      for (let r = 1; r < rows; r++) gaps += `M${left} ${top + r * h}h${w * columns}`;
      group.append(svg('path', { class: 'gap', d: gaps }));
    }
    if (size === undefined) return group;
    const labels = svg('g', { 'font-size': size });
    values.forEach((line, r) => line.forEach((value, c) => {
      if (!Number.isFinite(value)) return;
      labels.append(svg('text', {
        class: `cell ${isLight(tone(value)) ? 'dark' : 'light'}`, x: left + (c + 0.5) * w, y: top + (r + 0.5) * h + size / 3,
      }, texts[r][c]));
    }));
    group.append(labels);
    return group;
  }

  /** Returns the texts of cells and their size, undefined without room for all: of T with its range, or else without. */
  labels(values, w, h) {
    const ranged = (_, c, r) => this.study.estimate(this.cell(c, r)), n = this.precision(values.flat()), short = value => this.short(value, n);
    for (const write of this.measure === 't_estimate' ? [ranged, short] : [short]) {
      const texts = values.map((line, r) => line.map((value, c) => Number.isFinite(value) ? write(value, c, r) : ''));
      const widest = Math.max(...texts.flat().map(text => text.length)), longest = texts.flat().filter(text => text.length === widest);
      const size = [11.5, 10, 9].find(s => h >= s + 3 && longest.every(text => textWidth(text, s) <= w - 2));
      if (size !== undefined) return [texts, size];
    }
    return [[], undefined];
  }

  /** Returns the number of digits, from 2 to 4, with which values have different texts if the eye can tell their colours apart. */
  precision(values) {
    const known = values.filter(Number.isFinite).sort((a, b) => a - b);
    return [2, 3].find(n => {
      const first = new Map(); // place on the scale, by text
      return known.every(value => {
        const text = this.short(value, n), at = this.scale.at(value);
        if (!first.has(text)) first.set(text, at);
        return at - first.get(text) < 0.06;
      });
    }) ?? 4;
  }

  /** Returns a value with n digits, for a cell. */
  short(value, n) {
    switch (measures[this.measure].write) {
      case ratio: return padded(value, value < 10 ? n : n + 1);
      case percent: return String(Math.floor(value * 10 ** n + 1e-4) / 10 ** (n - 2));
      case time: return shortTime(value, n);
    }
    return String(value);
  }

  xTicks(axis, left, y, w) {
    const group = svg('g', { class: 'axis' }), room = Math.max(...axis.ticks.map(tick => textWidth(tick))) + 8;
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
    return `${study.name(config)}\n${measure.title}${t}: ${Number.isFinite(value) ? measure.write(value) : 'no such T'}\nT = ${study.estimate(config)}, gain ${ratio(study.gain(config))}; `
      + `T* = ${study.choice('t_star', config)}, gain at least ${ratio(study.choice('gain_low', config))}, confidence ${percent(study.choice('confidence', config))}`;
  }

  /** Returns the cell under the pointer as [column, row], or null. */
  under(event, picture) {
    const [x, y] = toPicture(picture, event), { left, top, w, h } = this.frame;
    const c = Math.floor((x - left) / w), r = Math.floor((y - top) / h);
    return c >= 0 && c < this.columns && r >= 0 && r < this.rows ? [c, r] : null;
  }

  /** Shows the configuration and value of the cell of the cursor, next to it. */
  announce(picture) {
    const [c, r] = this.cursor(), { left, top, w, h } = this.frame;
    tip(this.describe(this.cell(c, r)), ...toWindow(picture, left + (c + 0.5) * w, top + (r + 0.5) * h));
  }

  listen(picture) {
    picture.onmousemove = event => {
      const at = this.under(event, picture);
      tip(at ? this.describe(this.cell(...at)) : '', event.clientX, event.clientY);
    };
    picture.onmouseleave = () => tip('');
    picture.onblur = () => tip('');
    picture.onfocus = () => {
      if (picture.matches(':focus-visible')) this.announce(picture);
    };
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
      if (event.key === 'Escape') tip('');
      if (!to || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const pick = event.key === 'Enter' || event.key === ' ';
      this.go(Math.min(Math.max(to[0], 0), this.columns - 1), Math.min(Math.max(to[1], 0), this.rows - 1), pick);
      if (!pick) this.announce(picture);
    };
  }

  /** Moves the cursor to a cell, and shows its configuration in detail if pick is true. */
  go(column, row, pick) {
    this.places = this.shown[row].with(this.x, column);
    this.moveCursor();
    const config = this.cell(column, row);
    say(this.describe(config));
    if (pick && config !== undefined) this.choose(config);
  }
}
