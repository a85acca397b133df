// The page of a comparison: maps of the means of A and of B and of their ratio, and a table.

const apart = -1, combined = -2; // vertical axes besides those of the rows: none, and all others combined

/** Returns by how much a ratio differs from 1, as the program prints it. */
function change(ratio) {
  const x = 100 * (ratio - 1), size = Math.abs(x), text = size.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
  return `${x < 0 ? '−' : '+'}${text}%`;
}

/** Returns a colour about grey: blue where B is faster, orange where it is slower; share is −1 to 1. */
function diverging(share) {
  const end = share < 0 ? [33, 92, 150] : [190, 84, 20], at = Math.min(Math.abs(share), 1);
  return end.map(c => Math.round(238 + (c - 238) * at));
}

/** A map of a comparison: the cells, their colours and texts, and a legend. */
class Picture {
  constructor(id, title, maps, { value, colourOf, text, legend }) {
    Object.assign(this, { title, maps, value, colourOf, text, legend });
    this.redraw = drawn(document.getElementById(id), width => this.draw(width));
  }

  draw(width) {
    const { maps } = this, x = maps.study.axes[maps.x], up = maps.upAxis();
    const left = up.title ? 26 + Math.max(...up.ticks.map(text => textWidth(text))) : 4, top = 58;
    const columns = x ? x.ticks.length : 1, rows = maps.lines.length, w = (width - left - 6) / columns;
    const h = Math.min(Math.max(420 / rows, 4), 44), height = h * rows;
    this.frame = { left, top, w, h, columns, rows };
    const picture = svg('svg', {
      class: 'heat', viewBox: `0 0 ${width} ${top + height + 46}`, tabindex: 0, role: 'application', 'aria-roledescription': 'heat map',
      'aria-label': this.title,
    });
    picture.append(svg('g', { class: 'axis' }, svg('text', { x: left, y: 11 }, this.title), ...this.scale(left, Math.min(width - left - 6, 340))), this.cells());
    if (x) picture.append(this.ticks(x, up));
    this.outline = svg('g');
    picture.append(this.outline);
    this.moveCursor();
    this.listen(picture);
    return [picture];
  }

  /** Returns the bar of colours with its ticks. */
  scale(left, width) {
    const { colours, ticks } = this.legend(Math.max(2, Math.floor(width / 70)));
    const bar = svg('image', { href: pixels(100, 1, i => colours(i / 99)), x: left, y: 18, width, height: 10, preserveAspectRatio: 'none' });
    const shown = [bar];
    let free = -Infinity; // where the last text ends
    for (const [at, text] of ticks) {
      const x = left + width * at, size = textWidth(text), begin = at < 0.05 ? x : at > 0.95 ? x - size : x - size / 2;
      if (begin < free + 4) continue;
      free = begin + size;
      shown.push(svg('path', { class: 'grid', d: `M${x} 28v4` }), svg('text', { x: begin + size / 2, y: 44, 'text-anchor': 'middle' }, text));
    }
    return shown;
  }

  cells() {
    const { left, top, w, h, columns, rows } = this.frame, group = svg('g');
    const at = (c, r) => this.maps.cell(c, r);
    const image = pixels(columns, rows, (c, r) => at(c, r) === undefined ? null : this.colourOf(at(c, r)));
    group.append(svg('rect', { class: 'hole', x: left, y: top, width: w * columns, height: h * rows }));
    group.append(svg('image', { href: image, x: left, y: top, width: w * columns, height: h * rows, preserveAspectRatio: 'none' }));
    if (Math.min(w, h) < 14) return group;
    let gaps = '';
    for (let c = 1; c < columns; c++) gaps += `M${left + c * w} ${top}v${h * rows}`;
    for (let r = 1; r < rows; r++) gaps += `M${left} ${top + r * h}h${w * columns}`;
    group.append(svg('path', { class: 'gap', d: gaps }));
    const texts = [];
    for (let r = 0; r < rows; r++) {
      for (let c = 0; c < columns; c++) if (at(c, r) !== undefined) texts.push([c, r, this.text(at(c, r))]);
    }
    if (h < 16 || texts.some(([, , text]) => textWidth(text) > w)) return group; // all, or none
    const labels = svg('g', { 'font-size': 11.5 });
    group.append(labels);
    for (const [c, r, text] of texts) {
      const tone = isLight(this.colourOf(at(c, r))) ? 'dark' : 'light';
      labels.append(svg('text', { class: `cell ${tone}`, x: left + (c + 0.5) * w, y: top + (r + 0.5) * h + 4 }, text));
    }
    return group;
  }

  ticks(x, up) {
    const { left, top, w, h, columns, rows } = this.frame, group = svg('g', { class: 'axis' }), bottom = top + h * rows;
    const every = Math.ceil((Math.max(...x.ticks.map(text => textWidth(text))) + 6) / w), everyUp = Math.ceil(16 / h);
    x.ticks.forEach((tick, i) => {
      if (i % every === 0) group.append(svg('text', { class: 'across', x: left + (i + 0.5) * w, y: bottom + 17, 'text-anchor': 'middle' }, tick));
    });
    group.append(svg('text', { x: left + (w * columns) / 2, y: bottom + 38, 'text-anchor': 'middle' }, x.title));
    if (!up.title) return group;
    up.ticks.forEach((tick, i) => {
      if (i % everyUp === 0) group.append(svg('text', { class: 'up', x: left - 8, y: top + (i + 0.5) * h + 4, 'text-anchor': 'end' }, tick));
    });
    group.append(svg('text', { x: 0, y: 0, 'text-anchor': 'middle', transform: `translate(12 ${(top + bottom) / 2}) rotate(-90)` }, up.title));
    return group;
  }

  moveCursor() {
    const [c, r] = this.maps.cursor(), { left, top, w, h } = this.frame;
    const box = { class: 'cursor', x: left + c * w, y: top + r * h, width: w, height: h };
    this.outline.replaceChildren(svg('rect', box), svg('rect', box));
  }

  listen(picture) {
    const { maps, frame } = this;
    const under = event => {
      const box = picture.getBoundingClientRect(), factor = picture.viewBox.baseVal.width / box.width;
      const c = Math.floor(((event.clientX - box.left) * factor - frame.left) / frame.w), r = Math.floor(((event.clientY - box.top) * factor - frame.top) / frame.h);
      return c >= 0 && c < frame.columns && r >= 0 && r < frame.rows ? [c, r] : null;
    };
    picture.onmousemove = event => {
      const at = under(event);
      tip(at ? maps.describe(maps.cell(...at)) : '', event.clientX, event.clientY);
    };
    picture.onmouseleave = () => tip('');
    picture.onclick = event => {
      const at = under(event);
      if (at) maps.go(...at, true);
    };
    picture.onkeydown = event => {
      const [c, r] = maps.cursor(), pick = event.key === 'Enter' || event.key === ' ';
      const to = pick ? [c, r] : { ArrowLeft: [c - 1, r], ArrowRight: [c + 1, r], ArrowUp: [c, r - 1], ArrowDown: [c, r + 1], Home: [0, r], End: [frame.columns - 1, r] }[event.key];
      if (!to || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      maps.go(Math.min(Math.max(to[0], 0), frame.columns - 1), Math.min(Math.max(to[1], 0), frame.rows - 1), pick);
    };
  }
}

/** Returns the row to show first: the one with the largest conclusive change, or 0 without any. */
function largestChange({ columns: { ratio, differs } }) {
  const size = i => differs[i] ? Math.abs(Math.log(ratio[i])) : 0;
  return ratio.reduce((first, _, i) => size(i) > size(first) ? i : first, 0);
}

/** The three maps, which have the same axes and one cursor. */
class Maps {
  constructor(study, pick) {
    this.study = study;
    this.pick = pick;
    const byLength = [...study.axes.keys()].sort((a, b) => study.axes[b].labels.length - study.axes[a].labels.length);
    const ranks = study.axes.findIndex(axis => axis.column === 'ranks');
    this.x = byLength.slice(0, 2).includes(ranks) ? ranks : byLength[0];
    this.y = byLength.find(a => a !== this.x) ?? apart;
    const first = largestChange(study);
    this.places = study.index.map(values => values[first]);
    if (study.axes.length > 2 && this.combinations().length <= 12) this.y = combined;
    this.arrange();
    this.controls();
    this.pictures = this.draw();
    this.go(...this.cursor(), false);
  }

  /** Returns the pictures: the ratio, A and B. */
  draw() {
    const { study } = this, { mean_a, mean_b, ratio, differs } = study.columns;
    const extreme = of => mean_b.reduce((a, b) => of(a, b), mean_a.reduce((a, b) => of(a, b)));
    const scale = newScale(extreme(Math.min), extreme(Math.max));
    const most = ratio.reduce((most, r, i) => differs[i] ? Math.max(most, Math.abs(Math.log(r))) : most, 0.01);
    const side = values => ({
      value: i => values[i], colourOf: i => colour(scale.at(values[i])), text: i => shortTime(values[i], 2),
      legend: n => ({ colours: colour, ticks: scale.ticks(n).map(v => [scale.at(v), shortTime(v)]) }),
    });
    const share = i => differs[i] ? Math.log(ratio[i]) / most : 0;
    const ends = [-1, 0, 1].map(s => [(s + 1) / 2, s === 0 ? '0%' : change(Math.exp(s * most))]);
    return [
      new Picture('map-ratio', 'change from A to B', this, {
        value: i => ratio[i], colourOf: i => diverging(share(i)), text: i => differs[i] ? change(ratio[i]) : '~',
        legend: () => ({ colours: at => diverging(2 * at - 1), ticks: ends }),
      }),
      new Picture('map-a', 'A: mean completion time', this, side(mean_a)),
      new Picture('map-b', 'B: mean completion time', this, side(mean_b)),
    ];
  }

  /** Returns the distinct places on all axes but the horizontal one. */
  combinations() {
    const seen = new Map();
    for (let i = 0; i < this.study.size; i++) {
      const places = this.study.index.map((values, a) => a === this.x ? 0 : values[i]);
      seen.set(places.join(), places);
    }
    return [...seen.values()];
  }

  /** Sets the places of each line of cells, from the top; on the horizontal axis they are the cell's own. */
  arrange() {
    const { study } = this;
    if (this.y === combined) this.lines = this.combinations();
    else if (this.y === apart) this.lines = [this.places];
    else this.lines = study.axes[this.y].labels.map((_, i) => this.places.with(this.y, i)).reverse();
  }

  upAxis() {
    const { axes } = this.study;
    if (this.y === apart) return { title: '', ticks: [''] };
    if (this.y !== combined) return { title: axes[this.y].title, ticks: [...axes[this.y].ticks].reverse() };
    const rest = [...axes.keys()].filter(a => a !== this.x);
    return { title: rest.map(a => axes[a].title).join(', '), ticks: this.lines.map(places => rest.map(a => axes[a].labels[places[a]]).join(', ')) };
  }

  controls() {
    const node = document.getElementById('map-controls'), { axes } = this.study;
    if (axes.length < 2) return;
    const set = f => value => {
      f(Number(value));
      const at = [...node.querySelectorAll('select')].indexOf(document.activeElement);
      this.arrange();
      this.controls();
      if (at >= 0) node.querySelectorAll('select')[at]?.focus();
      for (const picture of this.pictures) picture.redraw();
      this.go(...this.cursor(), false);
    };
    const titles = axes.map((axis, a) => [a, axis.title]), all = axes.length > 2 ? [[combined, 'all others']] : [];
    node.replaceChildren(select('across', titles, this.x, set(x => this.setAxes(x, this.y))), select('up', [...titles, ...all], this.y, set(y => this.setAxes(this.x, y))));
    axes.forEach((axis, a) => {
      if (a === this.x || a === this.y || this.y === combined) return;
      node.append(select(axis.title, axis.labels.map((label, i) => [i, label]), this.places[a], set(i => { this.places[a] = i; })));
    });
  }

  /** Sets the horizontal and the vertical axis. If they would be the same, they swap. */
  setAxes(x, y) {
    if (x === y) [x, y] = x === this.x ? [this.y < 0 ? Number(x === 0) : this.y, y] : [x, this.x];
    [this.x, this.y] = [x, y];
  }

  /** Returns the row of the comparison in a cell, counted from the top left; undefined if there is none. */
  cell(column, row) { return this.study.find(this.x === undefined ? this.places : this.lines[row].with(this.x, column)); }

  cursor() {
    if (this.x === undefined) return [0, 0];
    const column = this.places[this.x];
    return [column, Math.max(0, this.lines.findIndex(line => line.with(this.x, column).join() === this.places.join()))];
  }

  describe(i) {
    if (i === undefined) return 'not in both studies';
    const { columns } = this.study, of = side => `${side.toUpperCase()}: ${time(columns[`mean_${side}`][i])} at T = ${columns[`t_${side}`][i]}`;
    return `${this.study.axes.length ? `${this.study.name(i)}\n` : ''}${of('a')}, ${of('b')}\n${change(columns.ratio[i])}, interval ${change(columns.low[i])} to ${change(columns.high[i])}`
      + (columns.differs[i] ? '' : ': inconclusive');
  }

  /** Moves the cursor to a cell, and shows its row in the table if pick is true. */
  go(column, row, pick) {
    if (this.x !== undefined) this.places = this.lines[row].with(this.x, column);
    for (const picture of this.pictures) picture.moveCursor();
    const i = this.cell(column, row);
    document.getElementById('map-status').textContent = this.describe(i);
    if (pick && i !== undefined) this.pick(i);
  }
}

/** The table of all rows. */
class Rows {
  constructor(study) {
    this.study = study;
    this.page = 0;
    this.shown = -1;
    this.draw();
    addEventListener('beforeprint', () => this.draw(400));
    addEventListener('afterprint', () => this.draw());
  }

  show(i) {
    this.shown = i;
    this.page = Math.floor(i / 25);
    this.draw();
  }

  draw(length = 25) {
    const { study } = this, { columns } = study, pages = Math.ceil(study.size / length);
    this.page = Math.min(this.page, pages - 1);
    const cells = [
      ...study.axes.map((axis, a) => [axis.title, axis.column, i => study.label(a, i)]),
      ['T in A', 't_a', i => columns.t_a[i]], ['T in B', 't_b', i => columns.t_b[i]],
      ['A', 'mean_a', i => time(columns.mean_a[i])], ['B', 'mean_b', i => time(columns.mean_b[i])],
      ['change', 'ratio', i => columns.differs[i] ? change(columns.ratio[i]) : '~'],
      ['interval', 'interval', i => `${change(columns.low[i])} to ${change(columns.high[i])}`],
      ['trials', 'trials', i => columns.paired[i] ? `${count(columns.trials_a[i])} pairs` : `${count(columns.trials_a[i])}, ${count(columns.trials_b[i])}`],
    ];
    const from = this.page * length, to = Math.min(from + length, study.size);
    const rows = Array.from({ length: to - from }, (_, n) => html('tr', { className: from + n === this.shown ? 'on pick' : '', 'data-row': from + n },
      ...cells.map(([, name, text]) => html('td', { 'data-column': name }, String(text(from + n))))));
    const head = html('tr', {}, ...cells.map(([title]) => html('th', { scope: 'col' }, title)));
    document.getElementById('rows-table').replaceChildren(html('table', {}, html('thead', {}, head), html('tbody', {}, ...rows)));
    const pager = document.getElementById('rows-pager');
    pager.hidden = pages < 2;
    const go = (text, step) => html('button', { type: 'button', disabled: this.page + step < 0 || this.page + step >= pages, onclick: () => { this.page += step; this.draw(); } }, text);
    pager.replaceChildren(go('Back', -1), `${count(from + 1)}–${count(to)} of ${count(study.size)}`, go('Next', 1));
  }
}

async function start() {
  const study = new Study(await readData()), rows = new Rows(study);
  new Maps(study, i => rows.show(i));
  document.documentElement.dataset.ready = 'yes';
}

start().catch(error => {
  const node = document.getElementById('failure');
  node.hidden = false;
  node.textContent = `The data of this page cannot be read: ${error.message}`;
  console.error(error);
});
