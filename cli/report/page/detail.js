// One configuration: its choice, the results at every T, and distributions.

class Detail {
  constructor(study) {
    this.study = study;
    this.config = 0;
    this.t = null; // drawn besides 0 and T*
    this.list();
    this.redraw = [
      drawn(document.getElementById('detail-curve'), width => drawCurve(study, this.config, width)),
      drawn(document.getElementById('detail-shares'), width => drawShares(study, this.config, this.curves(), width)),
    ];
  }

  show(config) {
    this.config = config;
    this.t = null;
    this.list();
    for (const redraw of this.redraw) redraw();
  }

  /** Returns the T whose distributions are drawn. */
  curves() {
    const star = this.study.choice('t_star', this.config);
    const curves = [[star, 'c1', `T = ${star} = T*`]];
    if (star !== 0) curves.unshift([0, 'c0', 'T = 0']);
    if (this.t !== null && this.t !== 0 && this.t !== star) curves.push([this.t, 'c2', `T = ${this.t}`]);
    return curves;
  }

  /** Sets all texts. */
  list() {
    const { study, config } = this, text = (id, value) => { document.getElementById(id).textContent = value; };
    const star = study.choice('t_star', config);
    text('detail-name', study.name(config));
    const values = [
      ['T*', 't_star', String(star)],
      [study.objective, 'objective_s', time(study.choice('objective_s', config), 4)],
      ['at T = 0', 'baseline_s', time(study.choice('baseline_s', config), 4)],
      ['gain', 'speedup', ratio(study.choice('speedup', config))],
      ['confidence', 'confidence', percent(study.choice('confidence', config))],
      ['without noise', 'quiet_s', time(study.summary('quiet_s', config, 0), 4)],
      ['trials', 'trials', `${count(study.summary('trials', config, 0))} (${study.stops[study.summary('stop', config, 0)]})`],
    ];
    document.getElementById('detail-values').replaceChildren(...values.map(([title, column, value]) => html('li', {}, html('span', {}, title), html('b', { 'data-column': column }, value))));
    this.warn();
    const source = study.shares.length
      ? `From the trials that were kept${study.shares.length < study.summary('trials', config, 0) ? `, at ${study.shares.length} quantiles` : ''}.`
      : 'Linear between the quantiles of the summary. A sweep with --keep-trials keeps every trial.';
    text('detail-source', `${source} config_id ${study.configs[config]}`);
    this.table(star);
  }

  warn() {
    const { study, config } = this, node = document.getElementById('detail-warning'), warning = study.warning(config), needed = study.choice('trials_needed', config);
    node.hidden = !warning;
    node.textContent = `${warning}: ${lacks[warning] || ''}${needed > 0 ? `; about ${count(Number(needed.toPrecision(2)))} trials would resolve it` : ''}`;
  }

  table(star) {
    const { study, config } = this, summary = name => t => study.summary(name, config, t);
    const columns = [
      ['T', 'redundancy', t => `${t}${t === star ? '*' : ''}`],
      ['mean', 'mean_s', t => time(summary('mean_s')(t), 4)],
      ['from', 'ci_low_s', t => time(summary('ci_low_s')(t), 4)],
      ['to', 'ci_high_s', t => time(summary('ci_high_s')(t), 4)],
      ['slow-down', 'slowdown', t => ratio(study.slowdown(config, t))],
      ['speed-up', 'speedup', t => ratio(study.speedup(config, t))],
      ...['min', 'p50', 'p90', 'p95', 'p99', 'p999', 'max'].map(name => [name.replace('p999', 'p99.9'), `${name}_s`, t => time(summary(`${name}_s`)(t), 4)]),
      ['messages', 'messages', t => count(summary('messages')(t))],
    ];
    const rows = Array.from({ length: study.columns.results[config] }, (_, t) => html('tr', { className: `pick${t === star ? ' star' : ''}`, tabIndex: -1, 'data-t': t },
      ...columns.map(([, column, write]) => html('td', { 'data-column': column }, write(t)))));
    const head = html('tr', {}, ...columns.map(([title]) => html('th', { scope: 'col' }, title)));
    const node = document.getElementById('detail-table');
    node.replaceChildren(html('table', {}, html('thead', {}, head), html('tbody', {}, ...rows)));
    rove(node, row => {
      this.t = Number(row.dataset.t);
      for (const other of rows) other.classList.toggle('on', other === row);
      this.redraw[1]();
    });
  }
}
