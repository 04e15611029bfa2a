'use strict';
// The panel beside a conversation. Its tab stays open while one moves from turn to turn; on a narrow page it is a sheet
// that can be drawn up.
(() => {
  const {h, fill} = Osler;

  function tabs(stop, route, address) {
    const {ram, memory, prompts} = Osler.turnPanel;
    const parts = [
      {name: 'ram', label: Osler.t('ram'), draw: () => ram(stop)},
      {name: 'memory', label: Osler.t('memory'), draw: () => memory(stop)},
      {name: 'prompts', label: `${Osler.t('prompts')} (${stop.calls.length})`, draw: () => prompts(stop, address)},
    ];
    const chosen = route.parameters.get('tab') || 'ram';
    return Osler.tabs(parts, chosen, (tab) => Osler.note({tab: tab === 'ram' ? null : tab}));
  }

  Osler.panel = (route, address) => {
    const [title, spent, place] = [h('h2', null), h('small', null), h('div', {class: 'inside'})];
    const draw = () => button.setAttribute('aria-expanded', String(panel.classList.toggle('open')));
    const button = h('button', {
      type: 'button',
      'aria-expanded': 'false',
      'aria-label': Osler.t('details'),
      onclick: draw,
    });
    const head = h('div', {class: 'panel-head'}, title, spent, button);
    const panel = h('aside', {class: 'panel', 'aria-label': Osler.t('details')}, head, place);
    return {
      panel,
      show(stop) {
        title.textContent = stop.closing ? Osler.t('conclusion') : Osler.t('turn_n', {n: stop.turn});
        spent.textContent = Osler.turnPanel.spent(stop.calls);
        fill(place, tabs(stop, route, address));
      },
    };
  };
})();
