// Texts of numbers.

const units = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']];

/** Returns a number with at most this many significant digits. */
function digits(value, n) { return Number.isFinite(value) ? String(Number(value.toPrecision(n))) : '–'; }

/** Returns a number with this many significant digits, with zeros at its end. */
function padded(value, n) {
  const text = value.toPrecision(n);
  return text.includes('e') ? digits(value, n) : text;
}

/** Returns a time in the largest unit of which it is at least one: 12.0 µs. */
function time(seconds, n = 3, write = padded) {
  if (!Number.isFinite(seconds)) return '–';
  if (seconds === 0) return '0 s';
  if (seconds < 0) return `−${time(-seconds, n, write)}`;
  const [size, unit] = units.find(([size]) => seconds >= size * (1 - 1e-7)) || units[units.length - 1];
  return `${write(seconds / size, n)} ${unit}`;
}

/** Returns a time without zeros at its end: 12 µs. */
function shortTime(seconds, n = 3) { return time(seconds, n, digits); }

/** Returns values with their texts, in three digits or as many as it takes for them to differ. */
function labelled(values, write) {
  for (let n = 3; ; n++) {
    const texts = values.map(value => write(value, n));
    if (n === 9 || new Set(texts).size === values.length) return values.map((value, i) => [value, texts[i]]);
  }
}

/** Returns a factor with two decimals, and fewer from 100 on. */
function ratio(value) { return Number.isFinite(value) ? `${value.toFixed(value < 100 ? 2 : value < 1000 ? 1 : 0)}×` : '–'; }

/** Returns a percentage, rounded down as the program rounds a confidence. */
function percent(share) { return Number.isFinite(share) ? `${(Math.floor(share * 1000 + 1e-4) / 10).toFixed(1)}%` : '–'; }

/** Returns a percentage rounded up, for upper bounds. */
function percentUp(share) { return Number.isFinite(share) ? `${(Math.ceil(share * 1000 - 1e-4) / 10).toFixed(1)}%` : '–'; }

function count(value) { return Number.isFinite(value) ? value.toLocaleString('en-US').replaceAll(',', '\u202f') : '–'; }
