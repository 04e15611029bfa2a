'use strict';
// The consultations before and after this one, in the order of the table one came from. The address knows the place
// in that order, so that it takes one small request, however long the table is.
(() => {
  const {h} = Osler;

  async function beside(route, step) {
    const parameters = Osler.frame.back(route).filter(([name]) => name !== 'offset');
    let at = route.parameters.get('at');
    if (at === null) {
      const first = await Osler.get(`api/runs/${route.run}/rows`, [...parameters, ['limit', 500]]);
      const place = first.rows.findIndex((row) => row.cell === route.cell);
      at = place < 0 ? -step : place;
    }
    const next = Number(at) + step;
    if (next < 0) return;
    const [row] = (await Osler.get(`api/runs/${route.run}/rows`, [...parameters, ['offset', next], ['limit', 1]])).rows;
    if (row) Osler.go(Osler.link(`${route.run}/${row.cell}`, [...parameters, ['at', next]]));
  }

  function steps(route) {
    const step = (label, sign, by) =>
      h(
        'button',
        {type: 'button', class: 'quiet', 'aria-label': label, title: label, onclick: () => beside(route, by)},
        sign,
      );
    return h(
      'div',
      {class: 'steps'},
      step(Osler.t('previous_consultation'), '←', -1),
      step(Osler.t('next_consultation'), '→', 1),
    );
  }

  Osler.neighbours = {beside, steps};
})();
