'use strict';
// A line to move along a consultation: a range, and under it one mark per turn that says where something happened.
(() => {
  const {h, fill} = Osler;

  // What is worth seeing from afar, the gravest first.
  function mark(stop) {
    if (stop.closing) return 'closing';
    const {ledger} = stop;
    if (Osler.faults.some((kind) => ledger[kind].length)) return 'grave';
    if (stop.interventions.length) return 'refusal';
    if (stop.repeated) return 'repeat';
    return ledger.disclosed.length ? 'told' : 'silent';
  }

  const name = (stop) => (stop.closing ? Osler.t('conclusion') : Osler.t('turn_n', {n: stop.turn}));

  // `stops` are the turns, and the conclusion where there is one; `choose` is called with a place among them.
  Osler.timeline = (stops, choose) => {
    const output = h('output', {for: 'timeline'});
    const range = h('input', {
      type: 'range',
      id: 'timeline',
      min: 0,
      max: Math.max(0, stops.length - 1),
      step: 1,
      value: 0,
      oninput: () => choose(Number(range.value)),
    });
    const marks = stops.map((stop) => h('span', {class: stop.lost ? `${mark(stop)} lost` : mark(stop)}));
    return {
      element: h(
        'div',
        {class: 'timeline'},
        h('label', {for: 'timeline'}, Osler.t('timeline')),
        h('div', {class: 'line'}, range, h('div', {class: 'marks', 'aria-hidden': 'true'}, marks)),
        output,
      ),
      show(index) {
        range.value = index;
        range.setAttribute('aria-valuetext', name(stops[index]));
        marks.forEach((one, at) => one.classList.toggle('here', at === index));
        fill(
          output,
          stops[index].closing
            ? name(stops[index])
            : `${stops[index].turn} / ${stops.filter((stop) => !stop.closing).length}`,
        );
      },
    };
  };
})();
