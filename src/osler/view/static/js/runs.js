'use strict';
// All runs that were given to the page.
(() => {
  const {h, said} = Osler;

  function row(run) {
    const progress = Osler.t('done', {done: Osler.count(run.done), total: Osler.count(run.total)});
    return h(
      'tr',
      null,
      h(
        'th',
        {scope: 'row'},
        h('a', {href: Osler.link(run.key), class: 'cover'}, said(run.name)),
        run.live ? h('span', {class: 'badge live'}, Osler.t('live')) : null,
      ),
      h(
        'td',
        {'data-label': Osler.t('state')},
        progress,
        [
          ['failed_n', run.failed],
          ['not_judged_n', run.unjudged],
        ].map(([label, n]) => (n ? h('span', {class: 'dim'}, ` · ${Osler.t(label, {n: Osler.count(n)})}`) : null)),
      ),
      ...[
        ['backbone', run.backbones.map((name) => Osler.named(run, name))],
        ['strategy', run.strategies],
        ['memory', run.memories.map((name) => Osler.named(run, name))],
        ['language', run.languages.map((name) => Osler.word('l', name))],
      ].map(([label, names]) => h('td', {'data-label': Osler.t(label)}, said(names.join(', ')))),
      h('td', {class: 'number', 'data-label': Osler.t('tokens')}, Osler.count(run.tokens)),
    );
  }

  function table(runs) {
    if (!runs.length) return h('p', {class: 'empty'}, Osler.t('no_runs'));
    const heads = ['runs', 'state', 'backbone', 'strategy', 'memory', 'language', 'tokens'];
    return h(
      'table',
      {class: 'rows'},
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          heads.map((name) => h('th', {scope: 'col', class: name === 'tokens' ? 'number' : null}, Osler.t(name))),
        ),
      ),
      h('tbody', null, runs.map(row)),
    );
  }

  Osler.views.runs = async () => {
    const place = h('div', null);
    const load = async () => Osler.fill(place, table((await Osler.get('api/runs')).runs));
    await load();
    return {title: Osler.t('runs'), changed: load, body: [h('h1', null, Osler.t('runs')), place]};
  };
})();
