// The part of the address after #, which names what is selected: #config=0123&t=2&show=mean_s&at=best&across=ranks&up=latency_s.
// It is the part that no server sees, and that a file has too.

/** Returns the selection that the address names, as an object of texts; empty if it names none, or a section. */
function readAddress() { return Object.fromEntries(location.hash.includes('=') ? new URLSearchParams(location.hash.slice(1)) : []); }

/** Has the address name a selection. If step is true, the browser's Back returns to the one before. */
function writeAddress(selection, step) {
  const hash = `#${new URLSearchParams(selection)}`;
  if (hash === location.hash) return;
  history[step ? 'pushState' : 'replaceState'](null, '', hash);
}
