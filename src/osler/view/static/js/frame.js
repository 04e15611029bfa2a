'use strict';
// What stands around every view: the way back, the reader's choices, and the place where the view is shown.
(() => {
  const {h, fill, kept} = Osler;
  const THEMES = ['system', 'light', 'dark'];
  let shown = {};

  function theme(next) {
    const root = document.documentElement;
    if (next === 'system') delete root.dataset.theme;
    else root.dataset.theme = next;
    kept.set('theme', next);
  }

  function choice(label, values, chosen, choose) {
    const pick = h(
      'select',
      {'aria-label': label, class: 'choice', onchange: () => choose(pick.value)},
      values.map(([value, name]) => h('option', {value, selected: value === chosen}, name)),
    );
    return pick;
  }

  function choices() {
    return [
      choice(
        Osler.t('theme'),
        THEMES.map((name) => [name, Osler.t(name)]),
        kept.get('theme') || 'system',
        theme,
      ),
      choice(
        'Language 语言',
        [
          ['en', 'English'],
          ['zh', '中文'],
        ],
        Osler.language(),
        (next) => {
          Osler.speak(next);
          begin();
          Osler.draw();
        },
      ),
      h('button', {type: 'button', class: 'quiet', onclick: Osler.help, 'aria-label': Osler.t('help')}, '?'),
    ];
  }

  // The bar at the top, drawn anew when the language changes.
  function begin() {
    document.documentElement.lang = Osler.language() === 'zh' ? 'zh' : 'en';
    theme(kept.get('theme') || 'system');
    document.getElementById('skip').textContent = Osler.t('skip');
    fill(document.getElementById('choices'), choices());
  }

  function crumbs(route, names) {
    const parts = [h('a', {href: '#/'}, Osler.t('runs'))];
    if (route.run) parts.push(h('a', {href: Osler.link(route.run, back(route))}, names.run || route.run));
    for (const name of names.more || []) parts.push(h('span', null, name));
    parts[parts.length - 1].setAttribute('aria-current', 'page');
    const play = Osler.fromDisk()
      ? null
      : h('a', {href: '#/play', class: 'play', 'aria-current': route.view === 'play' ? 'page' : null}, Osler.t('play'));
    fill(
      document.getElementById('crumbs'),
      h(
        'ol',
        null,
        (route.view === 'play' ? parts.slice(0, 1) : parts).map((part) => h('li', null, part)),
      ),
      play,
    );
  }

  // The table as it was filtered, which every address below it carries along.
  function back(route) {
    return [...route.parameters].filter(([name]) => !['turn', 'tab', 'at'].includes(name));
  }

  function place(route) {
    crumbs(route, {});
    document.getElementById('main').setAttribute('aria-busy', 'true');
  }

  function problem(error) {
    return h('p', {class: 'problem', role: 'alert'}, error.message);
  }

  function show(view, route) {
    const main = document.getElementById('main');
    const moved = shown.view !== route.view || shown.cell !== route.cell || shown.run !== route.run;
    shown = {view: route.view, cell: route.cell, run: route.run};
    Object.assign(route, {keys: view.keys || {}, changed: view.changed || null, leave: view.leave || null});
    document.title = view.title ? `${view.title} · Osler` : 'Osler';
    crumbs(route, view.crumbs || {});
    main.className = `view-${route.view}`;
    fill(main, view.body);
    main.removeAttribute('aria-busy');
    if (moved) window.scrollTo(0, 0);
    view.shown?.();
  }

  function say(text) {
    document.getElementById('status').textContent = text;
  }

  Osler.views.nowhere = async () => ({title: '', body: problem(new Error(Osler.t('not_there')))});
  Osler.frame = {begin, place, show, problem, back, say};
})();
