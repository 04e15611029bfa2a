'use strict';
// Addresses of the page: #/k0?memory=tim is a table, #/k0/12?turn=3 a consultation, #/k0/compare/12,13 a comparison,
// #/play a chair. All that decides what is seen is in the address, so that it can be reloaded, sent and gone back to.
(() => {
  let current = null;
  let drawn = 0;

  function parse(hash) {
    const [path, query] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
    const [first, second, third] = path.split('/').filter(Boolean).map(decodeURIComponent);
    const parameters = new URLSearchParams(query || '');
    if (!first) return {view: 'runs', parameters};
    if (first === 'play') return {view: 'play', session: second || null, parameters};
    if (!/^k\d+$/.test(first)) return {view: 'nowhere', parameters};
    if (!second) return {view: 'table', run: first, parameters};
    if (second === 'compare')
      return {view: 'compare', run: first, cells: (third || '').split(',').filter(Boolean), parameters};
    return /^\d+$/.test(second)
      ? {view: 'consultation', run: first, cell: Number(second), parameters}
      : {view: 'nowhere', parameters};
  }

  function link(path, parameters) {
    const query = new URLSearchParams(parameters || '').toString();
    return `#/${path}${query ? `?${query}` : ''}`;
  }

  const pathOf = (hash) => hash.replace(/^#\/?/, '').split('?')[0];

  // Puts the state of the view into the address without drawing the page anew, unless another view was asked for.
  function note(changes) {
    const path = pathOf(location.hash);
    if (path !== current.path) return;
    for (const [name, value] of Object.entries(changes)) {
      current.parameters.delete(name);
      for (const one of [value].flat()) if (one !== null && one !== '') current.parameters.append(name, one);
    }
    history.replaceState(null, '', link(path, current.parameters));
  }

  async function draw() {
    const mine = ++drawn;
    current?.leave?.();
    current = {...parse(location.hash), path: pathOf(location.hash)};
    Osler.frame.place(current);
    try {
      const view = await (Osler.views[current.view] || Osler.views.nowhere)(current);
      if (mine === drawn) Osler.frame.show(view, current);
    } catch (error) {
      if (mine === drawn) Osler.frame.show({title: '', body: Osler.frame.problem(error), changed: draw}, current);
    }
  }

  Object.assign(Osler, {
    link,
    note,
    draw,
    route: () => current,
    go: (address) => {
      location.hash = address;
    },
  });
})();
