// Small helpers for elements of the page and of its pictures.

/** Returns an HTML element with properties and children. Strings become text, never markup. */
function html(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Returns an SVG element with attributes and children. */
function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Returns a labelled list of options [value, text]. */
function select(label, options, value, change) {
  const list = html('select', { onchange: () => change(list.value) });
  for (const [option, text] of options) list.append(html('option', { value: option, selected: String(option) === String(value) }, text));
  return html('label', {}, label, list);
}

/** Returns the URL of an image of columns × rows pixels of colourAt(x, y); null is transparent. */
function pixels(columns, rows, colourAt) {
  const canvas = html('canvas', { width: columns, height: rows });
  const context = canvas.getContext('2d');
  const image = context.createImageData(columns, rows);
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      const rgb = colourAt(x, y);
      if (rgb) image.data.set([...rgb, 255], 4 * (y * columns + x));
    }
  }
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

const ruler = html('canvas').getContext('2d');

/** Returns the width of a text in a picture. */
function textWidth(text, size = 12) {
  ruler.font = `${size}px system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif`;
  return ruler.measureText(text).width + 1;
}

/** Returns the caption of a chart: its title, and entries [class, text] of a legend, which wrap where there is no room. */
function caption(title, entries = []) {
  const mark = name => svg('svg', { class: 'mark', viewBox: '0 0 22 10' }, name.startsWith('area')
    ? svg('rect', { class: name, width: 22, height: 10 }) : name === 'chosen' || name.startsWith('dot') ? svg('circle', { class: name, cx: 11, cy: 5, r: 3.75 })
      : svg('path', { class: name, d: 'M0 5h22' }));
  return html('p', { className: 'caption' }, html('b', {}, title), ...entries.map(([name, text]) => html('span', {}, mark(name), text)));
}

/** Draws into a node now, and again when its width changes. Returns a function that draws again. draw(width) returns nodes. */
function drawn(node, draw) {
  let width = 0;
  const redraw = () => {
    width = node.clientWidth || 600;
    node.replaceChildren(...draw(width));
  };
  new ResizeObserver(() => { if (node.clientWidth && node.clientWidth !== width) redraw(); }).observe(node);
  redraw();
  return redraw;
}

/** Marks a box while its content continues to the right of it. */
function hintMore(box) {
  const mark = () => box.classList.toggle('more', box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  box.addEventListener('scroll', mark, { passive: true });
  new ResizeObserver(mark).observe(box);
  new MutationObserver(mark).observe(box, { childList: true });
  mark();
}
for (const box of document.querySelectorAll('.scroll')) hintMore(box);

/** Makes arrow keys move the focus between elements of class pick, of which the Tab key reaches one. */
function rove(container, choose) {
  const rows = () => [...container.querySelectorAll('tr')].map(row => row.matches('.pick') ? [row] : [...row.querySelectorAll('.pick')]).filter(row => row.length);
  const first = container.querySelector('.pick.on') || container.querySelector('.pick');
  if (first) first.tabIndex = 0;
  container.onclick = event => {
    const picked = event.target.closest('.pick');
    if (picked) choose(picked);
  };
  container.onkeydown = event => {
    const from = event.target.closest('.pick');
    if (!from) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      choose(from);
      return;
    }
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    const all = rows(), y = all.findIndex(row => row.includes(from));
    const to = all[y + step[0]]?.[all[y].indexOf(from) + step[1]];
    if (!to) return;
    event.preventDefault();
    from.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  };
}
