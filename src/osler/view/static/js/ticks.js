'use strict';
// Choosing consultations to compare: ticks in the table, kept while one pages and filters, and the way on.
(() => {
  const {h, fill} = Osler;
  const MOST = 3;
  const chosen = new Map(); // run → cells

  Osler.ticks = (route) => {
    if (!chosen.has(route.run)) chosen.set(route.run, new Set());
    const ticked = chosen.get(route.run);
    const bar = h('p', {class: 'comparing', role: 'status'});
    const draw = () =>
      fill(
        bar,
        ticked.size < 2
          ? h('span', {class: 'dim'}, Osler.t('compare_hint'))
          : h(
              'a',
              {
                class: 'button',
                href: Osler.link(`${route.run}/compare/${[...ticked].join(',')}`, Osler.frame.back(route)),
              },
              `${Osler.t('compare')} (${ticked.size})`,
            ),
      );
    const tick = (row) => {
      const box = h('input', {
        type: 'checkbox',
        checked: ticked.has(row.cell),
        'aria-label': Osler.t('select', {name: `${[row.case, row.strategy, row.memory].filter(Boolean).map(Osler.plain).join(' ')}`}),
        onchange: () => {
          if (box.checked && ticked.size >= MOST) {
            box.checked = false;
            Osler.frame.say(Osler.t('fewer'));
          } else if (box.checked) ticked.add(row.cell);
          else ticked.delete(row.cell);
          draw();
        },
      });
      return box;
    };
    draw();
    return {bar, tick};
  };
})();
