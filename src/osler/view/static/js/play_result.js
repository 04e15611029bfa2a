'use strict';
// After it: the score, the truth, what was not asked, and in which order it should have been.
(() => {
  const {h, said, list} = Osler;

  // Where the consultation was kept: a link where this page shows that run.
  function kept(result) {
    if (!result.run) return null;
    const where = said(Osler.t('play_kept', {run: result.run}));
    return h('p', null, result.key ? h('a', {href: Osler.link(`${result.key}/${result.cell}`)}, where) : where);
  }

  // What should have come later and was asked for earlier is named: that is what one learns from.
  function step(one, lang) {
    const turn = one.asked_in_turn ? Osler.t('asked_in', {n: one.asked_in_turn}) : Osler.t('never_asked');
    return [
      h('span', {class: 'rank'}, `${one.should}.`),
      h(
        'span',
        {class: 'grow'},
        said(one.name, {lang}),
        one.after?.length ? h('small', null, said(Osler.t('too_late', {names: one.after.join(', ')}), {lang})) : null,
      ),
      h('small', {class: one.asked_in_turn ? null : 'warned'}, turn),
    ];
  }

  Osler.playResult = (result, answer, lang) => {
    const {fact, verdicts} = Osler.ending;
    return h(
      'section',
      {class: 'truth', id: 'result', tabindex: '-1'},
      h('h2', null, Osler.t('truth')),
      h(
        'dl',
        {class: 'facts'},
        answer
          ? [
              fact('your_diagnosis', said(answer.diagnosis, {lang})),
              fact('your_treatment', said(answer.treatment, {lang})),
            ]
          : null,
        fact('diagnosis', said(result.truth.diagnosis, {lang, tag: 'strong'})),
        fact('treatment', said(result.truth.treatment, {lang})),
      ),
      verdicts(result.verdicts),
      result.truth.unsafe.length
        ? [
            h('h3', null, Osler.t('harmful')),
            list(
              result.truth.unsafe,
              (harm) =>
                h('span', {class: 'grow'}, said(harm.name, {lang}), h('small', null, said(harm.because, {lang}))),
              {name: 'scored'},
            ),
          ]
        : null,
      h('h3', null, Osler.t('missed')),
      result.missed.length
        ? list(
            result.missed,
            (entry) => [
              h('span', {class: 'grow'}, said(entry.name, {lang})),
              entry.key ? h('small', {class: 'badge'}, Osler.t('mattered')) : null,
            ],
            {name: 'scored'},
          )
        : h('p', {class: 'dim'}, Osler.t('above')),
      result.order.length
        ? [h('h3', null, Osler.t('order')), list(result.order, (one) => step(one, lang), {name: 'scored'})]
        : null,
      kept(result),
      h('p', null, h('a', {class: 'button', href: '#/play'}, Osler.t('again'))),
    );
  };
})();
