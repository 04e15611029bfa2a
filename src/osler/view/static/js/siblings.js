'use strict';
// Other consultations of the same patient, each a link that puts it beside those one looks at.
(() => {
  const {h, said} = Osler;

  function setting(one, run) {
    const parts = [one.backbone, one.strategy, one.memory, one.variants].map((name) => Osler.named(run, name));
    return [...parts, Osler.word('l', one.language), `${Osler.t('trial')} ${one.trial}`].filter(Boolean).join(' · ');
  }

  Osler.siblings = (story, shown, route, run) => {
    const others = story.same.filter((one) => !shown.includes(one.cell));
    if (!others.length) return null;
    const address = (one) =>
      Osler.link(`${route.run}/compare/${[...shown, one.cell].join(',')}`, Osler.frame.back(route));
    return h(
      'details',
      {class: 'siblings'},
      h('summary', null, `${Osler.t('compare_with')} (${others.length})`),
      Osler.list(others, (one) =>
        h(
          'a',
          {href: address(one)},
          said(setting(one, run)),
          one.fork ? ` · ${Osler.t('fork_of', {turn: one.fork.turn})}` : null,
        ),
      ),
    );
  };
})();
