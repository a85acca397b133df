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

/** Returns the approximate width of a text in a picture. */
function textWidth(text) { return 7 * text.length; }

/** Shows a text next to the pointer, or hides it if the text is empty. */
function tip(event, text) {
  const box = document.getElementById('tip');
  box.hidden = !text;
  if (!text) return;
  box.textContent = text;
  const { width, height } = box.getBoundingClientRect();
  const left = event.clientX + 14 + width > innerWidth ? event.clientX - 14 - width : event.clientX + 14;
  const top = event.clientY + 14 + height > innerHeight ? event.clientY - 14 - height : event.clientY + 14;
  box.style.left = `${Math.max(4, left)}px`;
  box.style.top = `${Math.max(4, top)}px`;
}

/** Draws into a node now, and again when its width changes. Returns a function that draws again. */
function drawn(node, draw) {
  let width = 0;
  const redraw = () => {
    width = node.clientWidth || 600;
    node.replaceChildren(draw(width));
  };
  new ResizeObserver(() => { if (node.clientWidth && node.clientWidth !== width) redraw(); }).observe(node);
  redraw();
  return redraw;
}

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
