// Reading the points of a chart with the pointer or the keyboard.

/** Shows a text beside a place of the window, or hides it if the text is empty. */
function tip(text, x = 0, y = 0) {
  const box = document.getElementById('tip');
  box.hidden = !text;
  if (!text) return;
  box.textContent = text;
  const { width, height } = box.getBoundingClientRect();
  const beside = (at, size, room) => Math.max(4, at + 14 + size > room ? at - 14 - size : at + 14);
  box.style.left = `${beside(x, width, innerWidth)}px`;
  box.style.top = `${beside(y, height, innerHeight)}px`;
}

/** Has screen readers say a text. */
function say(text) { document.getElementById('said').textContent = text.replaceAll('\n', '; '); }

/** Returns the place of a pointer event in the units of a picture, and the other way round for its points. */
function toPicture(picture, event) {
  const box = picture.getBoundingClientRect(), factor = picture.viewBox.baseVal.width / box.width;
  return [(event.clientX - box.left) * factor, (event.clientY - box.top) * factor];
}

function toWindow(picture, x, y) {
  const box = picture.getBoundingClientRect(), factor = box.width / picture.viewBox.baseVal.width;
  return [box.left + x * factor, box.top + y * factor];
}

/**
 * Makes a picture show the text of the point {x, y, text, row} that is nearest to the pointer, or, once it has
 * the focus, of the one that the arrow keys lead to: left and right within a row, up and down between rows.
 */
function explore(picture, points) {
  if (!points.length) return;
  const ring = svg('circle', { class: 'ring', r: 7, visibility: 'hidden' });
  picture.append(ring);
  for (const [name, value] of Object.entries({ tabindex: 0, role: 'application', 'aria-roledescription': 'chart' })) picture.setAttribute(name, value);
  let at = points[0];
  const show = point => {
    at = point;
    for (const [name, value] of Object.entries({ cx: point.x, cy: point.y, visibility: 'visible' })) ring.setAttribute(name, value);
    tip(point.text, ...toWindow(picture, point.x, point.y));
  };
  const hide = () => {
    ring.setAttribute('visibility', 'hidden');
    tip('');
  };
  const nearest = (of, x, y) => of.reduce((best, p) => (p.x - x) ** 2 + (p.y - y) ** 2 < (best.x - x) ** 2 + (best.y - y) ** 2 ? p : best);
  picture.onmousemove = event => show(nearest(points, ...toPicture(picture, event)));
  picture.onmouseleave = () => picture.matches(':focus-visible') ? show(at) : hide();
  picture.onblur = hide;
  picture.onfocus = () => {
    if (picture.matches(':focus-visible')) show(at);
  };
  picture.onkeydown = event => {
    if (event.key === 'Escape') hide();
    const row = points.filter(p => p.row === at.row), i = row.indexOf(at);
    const rows = [...new Set(points.map(p => p.row))], r = rows.indexOf(at.row);
    const other = step => points.filter(p => p.row === rows[r + step]);
    const to = {
      ArrowLeft: () => row[i - 1], ArrowRight: () => row[i + 1], Home: () => row[0], End: () => row.at(-1),
      ArrowUp: () => r > 0 && nearest(other(-1), at.x, at.y), ArrowDown: () => r + 1 < rows.length && nearest(other(1), at.x, at.y),
    }[event.key];
    if (!to || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    show(to() || at);
    say(at.text);
  };
}
