// One configuration: its choice, the results at every T, and distributions.

/** Returns the name of the quantile of a share. */
function quantile(share) { return share === 0 ? 'min' : share === 1 ? 'max' : `p${digits(100 * share, 6)}`; }

/** Returns a remark on a noise amplification below 1. */
function shown(times) { return Number.isFinite(times) && times < 1 ? ' (absorbed)' : ''; }

/** The panel of one configuration. It calls change() when the user picks another T. */
class Detail {
  constructor(study, change) {
    this.study = study;
    this.change = change;
    this.node = document.getElementById('detail');
    this.config = 0;
    this.t = null; // drawn besides 0 and the best T
    this.list();
    this.redraw = [
      drawn(document.getElementById('detail-curve'), width => drawCurve(study, this.config, width)),
      drawn(document.getElementById('detail-shares'), width => drawShares(study, this.config, this.curves(), width)),
    ];
    document.getElementById('detail-back').onclick = () => {
      this.from?.scrollIntoView({ block: 'center' });
      this.from?.focus({ preventScroll: true });
    };
  }

  /** Shows a configuration, and the distribution at t besides those at 0 and the best T unless t is null. */
  show(config, t = null) {
    if (config !== this.config) this.node.scrollTop = 0;
    this.config = config;
    this.t = Number.isInteger(t) && t >= 0 && t < this.study.columns.results[config] ? t : null;
    this.list();
    for (const redraw of this.redraw) redraw();
  }

  /** Brings the panel into view, if it is not beside what the user has picked. */
  reveal() {
    const beside = document.getElementById('overview').getBoundingClientRect(), box = this.node.getBoundingClientRect();
    if (box.left >= beside.right) {
      if (box.top < 0) this.node.scrollIntoView(); // it is too high to stay beside a short table
      return;
    }
    this.from = document.activeElement;
    document.getElementById('detail-back').hidden = false;
    this.node.scrollIntoView();
    this.node.focus({ preventScroll: true });
  }

  /** Returns the T whose distributions are drawn. */
  curves() {
    const best = this.study.best(this.config);
    const curves = [[best, 'c1', `T = ${best}, best`]];
    if (best !== 0) curves.unshift([0, 'c0', 'T = 0']);
    if (this.t !== null && this.t !== 0 && this.t !== best) curves.push([this.t, 'c2', `T = ${this.t}`]);
    return curves;
  }

  /** Sets all texts. */
  list() {
    const { study, config } = this, text = (id, value) => { document.getElementById(id).textContent = value; };
    const best = study.best(config), choice = name => study.choice(name, config);
    text('detail-name', study.name(config));
    const values = [
      ['T', 't_estimate', study.estimate(config)],
      [study.objective, 'estimate_s', time(choice('estimate_s'), 4)],
      ['at T = 0', 'baseline_s', time(choice('baseline_s'), 4)],
      ['gain', 'gain', ratio(study.gain(config))],
      ['T*', 't_star', String(choice('t_star'))],
      ['its gain at least', 'gain_low', ratio(choice('gain_low'))],
      ['its confidence', 'confidence', percent(choice('confidence'))],
      ['above the best by at most', 'regret_high', percentUp(choice('regret_high'))],
      ['without noise', 'quiet_s', time(study.summary('quiet_s', config, 0), 4)],
      ...study.applications ? [
        ['in the collective', 'collective_share', percent(choice('collective_share'))],
        ['gain of the collective', 'collective_speedup', ratio(choice('collective_speedup'))],
        ['noise amplification', 'noise_amplification', `${ratio(choice('noise_amplification'))}${shown(choice('noise_amplification'))}`],
      ] : [],
      ['trials', 'trials', `${count(study.summary('trials', config, 0))} (${study.stops[study.summary('stop', config, 0)]})`],
    ];
    document.getElementById('detail-values').replaceChildren(...values.map(([title, column, value]) => html('li', {}, html('span', {}, title), html('b', { 'data-column': column }, value))));
    this.warn();
    const source = study.shares.length
      ? `From the trials that were kept${study.shares.length < study.summary('trials', config, 0) ? `, at ${study.shares.length} quantiles` : ''}.`
      : `${study.distribution(config, best).length ? 'Each point is a quantile of the summary that the trials resolve. ' : ''}${study.applications ? '' : 'A sweep with --keep-trials keeps every trial.'}`;
    text('detail-source', `${source} config_id ${study.configs[config]}`);
    this.table(best);
  }

  /** Says what more trials may change. */
  warn() {
    const { study, config } = this, node = document.getElementById('detail-warning');
    const mark = study.mark(config), warning = study.warning(config), needed = study.choice('trials_needed', config);
    node.hidden = !mark && !study.ranged(config);
    node.className = mark ? 'warning' : 'note';
    const text = mark ? `${warning}: ${lacks[warning] || ''}` : `The trials allow any T from ${study.choice('t_low', config)} to ${study.choice('t_high', config)}`;
    node.textContent = `${text}${needed > 0 ? `; about ${count(Number(needed.toPrecision(2)))} trials would settle it` : ''}.`;
  }

  table(best) {
    const { study, config } = this, summary = name => t => study.summary(name, config, t);
    const all = Array.from({ length: study.columns.results[config] }, (_, t) => t);
    const resolved = study.summarised.filter(({ column }) => all.some(t => Number.isFinite(summary(column)(t))));
    const columns = [
      ['T', 'redundancy', t => `${t}${t === study.choice('t_star', config) ? '*' : ''}`],
      ['mean', 'mean_s', t => time(summary('mean_s')(t), 4)],
      ['speed-up', 'speedup', t => ratio(study.speedup(config, t))],
      ['from', 'ci_low_s', t => time(summary('ci_low_s')(t), 4)],
      ['to', 'ci_high_s', t => time(summary('ci_high_s')(t), 4)],
      ['slow-down', 'slowdown', t => ratio(study.slowdown(config, t))],
      ...resolved.map(({ share, column }) => [quantile(share), column, t => time(summary(column)(t), 4)]),
      ['messages', 'messages', t => count(summary('messages')(t))],
    ];
    const rows = all.map(t => html('tr', { className: `pick${t === best ? ' best' : ''}${t === this.t ? ' on' : ''}`, tabIndex: -1, 'data-t': t },
      ...columns.map(([, column, write]) => html('td', { 'data-column': column }, write(t)))));
    const head = html('tr', {}, ...columns.map(([title]) => html('th', { scope: 'col' }, title)));
    const node = document.getElementById('detail-table');
    node.replaceChildren(html('table', {}, html('thead', {}, head), html('tbody', {}, ...rows)));
    rove(node, row => {
      this.t = Number(row.dataset.t);
      for (const other of rows) other.classList.toggle('on', other === row);
      this.redraw[1]();
      this.change();
    });
  }
}
