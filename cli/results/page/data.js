// The data that the program packed into the page, and lookups in it.

/** Returns the page's data: {axes, configs, …, columns: name → Float32Array}. */
async function readData() {
  const packed = Uint8Array.from(atob(document.getElementById('data').textContent), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  const bytes = await new Response(stream).arrayBuffer();
  const length = new DataView(bytes).getUint32(0, true);
  const data = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)));
  const view = new DataView(bytes);
  const columns = {};
  let at = 4 + length;
  for (const column of data.columns) {
    const values = new Float32Array(column.length);
    for (let i = 0; i < values.length; i++, at += 4) values[i] = view.getFloat32(at, true);
    columns[column.name] = values;
  }
  data.columns = columns;
  return data;
}

/** The results of a study. Configurations are numbers from 0. */
class Study {
  constructor(data) {
    Object.assign(this, data);
    this.size = this.configs.length;
    this.first = new Uint32Array(this.size); // its row of T = 0
    for (let i = 1; i < this.size; i++) this.first[i] = this.first[i - 1] + this.columns.results[i - 1];
    this.most = this.columns.results.reduce((a, b) => Math.max(a, b), 0);
    this.index = this.axes.map(axis => this.columns['axis ' + axis.column]);
    this.at = new Map();
    for (let i = 0; i < this.size; i++) this.at.set(this.index.map(values => values[i]).join(), i);
  }

  /** What the times are of. */
  get what() { return this.applications ? 'iteration' : 'completion'; }

  /** Returns the value of a column of the choices. */
  choice(name, config) { return this.columns[name][config]; }

  /** Returns the value of a column of the summary at T; undefined beyond the last T. */
  summary(name, config, t) {
    return t < this.columns.results[config] ? this.columns[name][this.first[config] + t] : undefined;
  }

  slowdown(config, t) { return this.summary('mean_s', config, t) / this.summary('quiet_s', config, 0); }

  speedup(config, t) { return this.summary('mean_s', config, 0) / this.summary('mean_s', config, t); }

  /** Returns the configuration with these indices on the axes; undefined if there is none. */
  find(places) { return this.at.get(places.join()); }

  /** Returns the label of a configuration's value of an axis. */
  label(axis, config) { return this.axes[axis].labels[this.index[axis][config]]; }

  /** Returns a name of a configuration: its values of all axes. */
  name(config) {
    return this.axes.map((axis, a) => `${axis.title} ${this.label(a, config)}`).join(', ') || 'The only one';
  }

  warning(config) { return this.warnings[this.columns.warning[config]]; }

  /** Returns the mark of a choice: ? if it is not known to be good, or none. */
  mark(config) { return this.warning(config) ? '?' : ''; }

  /** Returns the estimate of T. */
  best(config) { return this.choice('t_estimate', config); }

  /** Returns how many times faster the estimate of T is than T = 0. */
  gain(config) { return this.choice('baseline_s', config) / this.choice('estimate_s', config); }

  /** Whether the trials allow other T than the estimate. */
  ranged(config) { return this.choice('t_low', config) < this.choice('t_high', config); }

  /** Returns the estimate of T as text, with the range that the trials allow if that has other T. */
  estimate(config) {
    return `${this.best(config)}${this.ranged(config) ? ` (${this.choice('t_low', config)}–${this.choice('t_high', config)})` : ''}`;
  }

  /** Whether a column has a number in any row. */
  has(name) { return this.columns[name]?.some(Number.isFinite) ?? false; }

  /**
   * Returns the distribution at T, as pairs [share, completion time]: that of the kept trials, or
   * else the quantiles of the summary up to the largest that the trials resolve. It is empty if that
   * is the median only.
   */
  distribution(config, t) {
    const n = this.shares.length, row = this.first[config] + t;
    const pairs = n > 0 ? this.shares.map((share, i) => [share, this.columns.quantiles[row * n + i]])
      : this.summarised.filter(({ share }) => share < 1).map(({ share, column }) => [share, this.columns[column][row]]);
    const resolved = pairs.filter(([, value]) => Number.isFinite(value));
    return resolved.length > 2 ? resolved : [];
  }
}
