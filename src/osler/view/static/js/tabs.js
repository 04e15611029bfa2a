'use strict';
// Tabs as screen readers and keyboards know them: arrows move between them, Tab moves into the one that is open.
(() => {
  const {h, fill} = Osler;

  // `parts` are {name, label, draw}; `draw` is called when a tab is opened.
  Osler.tabs = (parts, chosen, choose) => {
    const place = h('div', {role: 'tabpanel', id: 'tabpanel', tabindex: '0'});
    const buttons = parts.map((part, index) =>
      h(
        'button',
        {
          type: 'button',
          role: 'tab',
          id: `tab-${part.name}`,
          'aria-controls': 'tabpanel',
          onclick: () => open(index),
          onkeydown: (event) => {
            const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
            if (!step) return;
            event.preventDefault();
            open((index + step + parts.length) % parts.length).focus();
          },
        },
        part.label,
      ),
    );

    function open(index) {
      buttons.forEach((button, at) => {
        button.setAttribute('aria-selected', String(at === index));
        button.setAttribute('tabindex', at === index ? '0' : '-1');
      });
      place.setAttribute('aria-labelledby', `tab-${parts[index].name}`);
      fill(place, parts[index].draw());
      choose(parts[index].name);
      return buttons[index];
    }

    open(
      Math.max(
        0,
        parts.findIndex((part) => part.name === chosen),
      ),
    );
    return [h('div', {role: 'tablist', class: 'tabs', 'aria-label': Osler.t('details')}, buttons), place];
  };
})();
