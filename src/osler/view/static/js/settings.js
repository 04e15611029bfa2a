'use strict';
// The settings of a run or of a consultation, folded: the names that its options have, and their values.
(() => {
  const {h, said} = Osler;

  Osler.settings = (settings) =>
    h(
      'details',
      {class: 'settings'},
      h('summary', null, Osler.t('settings')),
      h(
        'dl',
        {class: 'inline'},
        settings.map(([name, value]) => h('div', null, h('dt', null, said(name)), h('dd', null, said(value)))),
      ),
    );
})();
