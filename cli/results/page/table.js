// The table of the best T: one configuration in each row, or folded over two axes.

const pageLength = 25, printLength = 400, maxAcross = 6;

const lacks = {
  unsure: 'not known to be within the tolerance of the best',
  unresolved: 'too few trials to estimate the objective',
  unbounded: 'trials do not bound a maximum',
};

/** The table of choices. It calls choose(config) for the configuration that the user picks. */
class AnswerTable {
  constructor(study, choose) {
    this.study = study;
    this.choose = choose;
    this.node = document.getElementById('answer-table');
    this.down = Math.max(0, study.axes.findIndex(axis => axis.column === 'ranks'));
    this.across = this.titles();
    this.folded = this.across.length > 1 && this.across.length <= maxAcross;
    this.order = [...study.configs.keys()];
    this.sorted = { column: -1, up: true };
    this.page = 0;
    this.columns = this.listColumns();
    if (this.folded) {
      const choices = [['folded', `${study.axes[this.down].title} in rows, the rest in columns`], ['list', 'one row each']];
      document.getElementById('answer-controls').append(select('Table', choices, 'folded', value => {
        this.folded = value === 'folded';
        this.draw();
      }));
    }
    this.legend();
    this.draw();
    addEventListener('beforeprint', () => this.draw(printLength));
    addEventListener('afterprint', () => this.draw());
  }

  /** Explains the marks that occur. */
  legend() {
    const { study } = this, found = [...new Set(study.columns.warning)].map(i => study.warnings[i]).filter(Boolean);
    const marks = found.map(w => `? is ${w}: ${lacks[w] || ''}.`);
    document.getElementById('answer-legend').textContent = marks.map(text => ` ${text}`).join('');
  }

  /** Returns the distinct titles of columns, in the order of their occurrence. */
  titles() {
    const seen = new Map();
    for (let i = 0; i < this.study.size && seen.size <= maxAcross; i++) seen.set(this.title(i), i);
    return [...seen.keys()];
  }

  title(config) {
    return this.study.axes.flatMap((axis, a) => a === this.down ? [] : [`${axis.title} ${this.study.label(a, config)}`]).join('\n');
  }

  listColumns() {
    const study = this.study, choice = name => i => study.choice(name, i);
    const axes = study.axes.map((axis, a) => ({ title: axis.title, name: axis.column, value: i => study.index[a][i], text: i => study.label(a, i) }));
    const numeric = (title, name, write, value = choice(name)) => ({ title, name, value, text: i => write(value(i)) });
    return [
      ...axes,
      { ...numeric('T', 't_estimate', String), text: i => study.estimate(i), class: 'best' },
      numeric('gain', 'gain', ratio, i => study.gain(i)),
      numeric(study.objective, 'estimate_s', time),
      numeric('at T = 0', 'baseline_s', time),
      numeric('lower bound', 'floor_s', time, i => study.summary('floor_s', i, 0)),
      numeric('at least', 'gain_low', ratio),
      numeric('confidence', 'confidence', percent),
      { title: 'warning', name: 'warning', value: i => study.columns.warning[i], text: i => study.warning(i) },
    ];
  }

  draw(length = pageLength) {
    const pages = Math.ceil(this.study.size / length);
    this.page = Math.min(this.page, pages - 1);
    this.node.replaceChildren(this.folded ? this.foldedTable() : this.listTable(length));
    this.mark(this.shown);
    rove(this.node, picked => this.choose(Number(picked.dataset.config)));
    const pager = document.getElementById('answer-pager');
    pager.hidden = this.folded || pages < 2;
    const go = (text, step) => html('button', {
      type: 'button', disabled: this.page + step < 0 || this.page + step >= pages,
      onclick: () => { this.page += step; this.draw(); },
    }, text);
    const from = this.page * length;
    pager.replaceChildren(go('Back', -1), `${count(from + 1)}–${count(Math.min(from + length, this.study.size))} of ${count(this.study.size)}`, go('Next', 1));
  }

  /** Highlights the configuration that is shown in detail. */
  mark(config) {
    this.shown = config;
    for (const on of this.node.querySelectorAll('.on')) on.classList.remove('on');
    this.node.querySelector(`[data-config="${config}"]`)?.classList.add('on');
  }

  listTable(length) {
    const head = this.columns.map((column, c) => {
      const title = html('th', { scope: 'col' }, html('button', { type: 'button', onclick: () => this.sort(c) }, column.title));
      if (this.sorted.column === c) title.setAttribute('aria-sort', this.sorted.up ? 'ascending' : 'descending');
      return title;
    });
    const rows = this.order.slice(this.page * length, (this.page + 1) * length).map(i => {
      const cells = this.columns.map(column => html('td', { className: column.class || '', 'data-column': column.name }, column.text(i)));
      return html('tr', { className: 'pick', tabIndex: -1, 'data-config': i }, ...cells);
    });
    return html('table', {}, html('thead', {}, html('tr', {}, ...head)), html('tbody', {}, ...rows));
  }

  sort(c) {
    this.sorted = { column: c, up: this.sorted.column === c ? !this.sorted.up : true };
    const { value } = this.columns[c], sign = this.sorted.up ? 1 : -1;
    this.order.sort((a, b) => sign * (value(a) - value(b)) || a - b);
    this.page = 0;
    this.draw();
    this.node.querySelectorAll('thead button')[c].focus();
  }

  foldedTable() {
    const study = this.study, axis = study.axes[this.down];
    const cells = axis.labels.map(() => new Map());
    for (let i = 0; i < study.size; i++) cells[study.index[this.down][i]].set(this.title(i), i);
    const cell = i => {
      if (i === undefined) return html('td', { className: 'cell' });
      const span = (name, column, text) => html('span', { className: name, 'data-column': column }, text);
      return html('td', { className: 'cell pick', tabIndex: -1, 'data-config': i },
        span('t', 't_estimate', study.estimate(i)), span('time', 'estimate_s', time(study.choice('estimate_s', i))),
        span('gain', 'gain', ratio(study.gain(i)) + (study.mark(i) ? ` ${study.mark(i)}` : '\u2002')));
    };
    const head = [html('th', { scope: 'col' }, axis.title), ...this.across.map(title => html('th', { scope: 'col' }, title))];
    const rows = axis.labels.map((label, r) => html('tr', {}, html('th', { scope: 'row' }, label), ...this.across.map(title => cell(cells[r].get(title)))));
    return html('table', { className: 'folded' }, html('thead', {}, html('tr', {}, ...head)), html('tbody', {}, ...rows));
  }
}
