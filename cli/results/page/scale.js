// Colours and positions of numbers.

// Viridis at equal steps: its lightness ascends evenly, also for the colour-blind and in grey.
const viridis = [
  [68, 1, 84], [72, 36, 117], [65, 68, 135], [53, 95, 141], [42, 120, 142], [33, 145, 140],
  [34, 168, 132], [66, 190, 113], [122, 209, 81], [189, 223, 38], [253, 231, 37],
];

/** Returns the colour at a share of the scale from 0 to 1, as [red, green, blue]. */
function colour(share) {
  const at = Math.min(Math.max(share, 0), 1) * (viridis.length - 1);
  const below = Math.min(Math.floor(at), viridis.length - 2);
  return viridis[below].map((c, i) => Math.round(c + (viridis[below + 1][i] - c) * (at - below)));
}

/** Whether black reads better than white on a colour. */
function isLight([red, green, blue]) { return 0.299 * red + 0.587 * green + 0.114 * blue > 120; }

/**
 * A scale from low to high: at(value) is 0 to 1, ticks(n) are about n round values within. It is
 * logarithmic where the values differ by more than ten times.
 */
function newScale(low, high, { log = low > 0 && high / low > 10 } = {}) {
  if (!(high > low)) {
    const room = Math.abs(low) * 0.1 || 1;
    [low, high, log] = [low - room, high + room, false];
  }
  const [a, b] = log ? [Math.log(low), Math.log(high)] : [low, high];
  const at = value => ((log ? Math.log(value) : value) - a) / (b - a);
  return { low, high, log, at, ticks: n => (log ? logTicks : linearTicks)(low, high, n) };
}

function linearTicks(low, high, n) {
  const rough = (high - low) / n, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(s => s * power >= rough * 0.999);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-6); i * step <= high + step * 1e-6; i++) ticks.push(i * step);
  return ticks;
}

/** 1, 2 and 5 of each decade, or 1 and 3, or 1, or some decades, as there is room. */
function logTicks(low, high, n) {
  const from = Math.floor(Math.log10(low)), to = Math.ceil(Math.log10(high));
  const within = (steps, every = 1) => {
    const ticks = [];
    for (let decade = from; decade <= to; decade += every) {
      for (const step of steps) {
        const tick = step * 10 ** decade;
        if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
      }
    }
    return ticks;
  };
  const choices = [within([1, 2, 5]), within([1, 3]), within([1]), within([1], 2), within([1], 3)];
  const fitting = choices.find(ticks => ticks.length <= n + 1) || choices.at(-1);
  return fitting.length > 1 ? fitting : linearTicks(low, high, n);
}
