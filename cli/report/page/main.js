// Starts the page: reads the data, and draws every part.

async function start() {
  const study = new Study(await readData());
  const detail = new Detail(study);
  let map = null, answer = null;
  const choose = config => {
    detail.show(config);
    answer.mark(config);
  };
  answer = new AnswerTable(study, config => {
    choose(config);
    map?.show(config);
  });
  if (study.axes.length) map = new HeatMap(study, choose);
  else for (const part of document.querySelectorAll('#map, [href="#map"]')) part.hidden = true;
  const first = largestGain(study);
  choose(first);
  map?.show(first);
  document.documentElement.dataset.ready = 'yes';
}

/** Returns the configuration to show first: the one with the largest gain. */
function largestGain(study) {
  let best = 0;
  for (let i = 1; i < study.size; i++) if (study.choice('speedup', i) > study.choice('speedup', best)) best = i;
  return best;
}

start().catch(error => {
  const node = document.getElementById('failure');
  node.hidden = false;
  node.textContent = `The data of this page cannot be read: ${error.message}`;
  console.error(error);
});
