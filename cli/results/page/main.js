// Starts the page: reads the data, draws every part, and keeps the address in step.

class Page {
  constructor(study) {
    this.study = study;
    this.detail = new Detail(study, () => this.note(false));
    this.answer = new AnswerTable(study, config => this.pick(config));
    if (study.axes.length) this.map = new HeatMap(study, config => this.pick(config), () => this.note(false));
    else for (const part of document.querySelectorAll('#map, [href="#map"]')) part.hidden = true;
    addEventListener('popstate', () => this.follow());
    addEventListener('hashchange', () => this.follow());
    for (const link of document.querySelectorAll('nav a')) {
      link.onclick = event => { // and keep the selection in the address
        event.preventDefault();
        document.querySelector(link.getAttribute('href')).scrollIntoView();
      };
    }
    this.show(largestGain(study));
    this.follow();
  }

  show(config, t) {
    this.detail.show(config, t);
    this.answer.mark(config);
    this.map?.show(config);
  }

  /** Shows what the user has picked. */
  pick(config) {
    this.show(config);
    this.detail.reveal();
    this.note(true);
  }

  note(step) {
    const { config, t } = this.detail, picked = t === null ? {} : { t };
    writeAddress({ config: this.study.configs[config], ...picked, ...this.map?.selection() }, step);
  }

  /** Shows what the address names. */
  follow() {
    const selection = readAddress(), notice = document.getElementById('notice');
    if (!Object.keys(selection).length) return;
    const config = this.study.configs.indexOf(selection.config);
    notice.hidden = config >= 0;
    notice.textContent = `No configuration of this study has the config_id ${selection.config}, which the address names.`;
    this.map?.select(selection);
    if (config < 0) return;
    this.show(config, selection.t === undefined ? null : Number(selection.t));
    document.getElementById('results').scrollIntoView();
    this.detail.reveal();
  }
}

/** Returns the configuration to show first: the one with the largest gain. */
function largestGain(study) {
  let best = 0;
  for (let i = 1; i < study.size; i++) if (study.gain(i) > study.gain(best)) best = i;
  return best;
}

readData().then(data => {
  new Page(new Study(data));
  document.documentElement.dataset.ready = 'yes';
}).catch(error => {
  const node = document.getElementById('failure');
  node.hidden = false;
  node.textContent = `The data of this page cannot be read: ${error.message}`;
  console.error(error);
});
