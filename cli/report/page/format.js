// Numbers as people write them, the same as the program does in a terminal.

const units = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']];

/** A number with at most this many significant digits. */
function digits(value, n) {
  if (!Number.isFinite(value)) return '–';
  return String(Number(value.toPrecision(n)));
}

/** A time in the largest unit of which it is at least one: 12.5 µs. */
function time(seconds, n = 3) {
  if (!Number.isFinite(seconds)) return '–';
  if (seconds === 0) return '0 s';
  const [size, unit] = units.find(([size]) => seconds >= size * (1 - 1e-7)) || units[units.length - 1];
  return `${digits(seconds / size, n)} ${unit}`;
}

function ratio(value) { return Number.isFinite(value) ? `${value.toFixed(2)}×` : '–'; }

/** Like the program, never rounds a confidence up. */
function percent(share) { return Number.isFinite(share) ? `${(Math.floor(share * 1000 + 1e-4) / 10).toFixed(1)} %` : '–'; }

function count(value) { return Number.isFinite(value) ? value.toLocaleString('en-US').replaceAll(',', '\u202f') : '–'; }
