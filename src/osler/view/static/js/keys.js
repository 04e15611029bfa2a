'use strict';
// The keyboard: single keys, that never take a letter from a field one writes in.
(() => {
  const {h} = Osler;
  const HELP = [
    [['j', 'k'], 'help_turn'],
    [['n', 'p'], 'help_consultation'],
    [['/'], 'help_search'],
    [['Esc'], 'help_back'],
    [['?'], 'help_help'],
  ];

  function help() {
    const dialog = h(
      'dialog',
      {class: 'help', 'aria-label': Osler.t('help'), onclose: () => dialog.remove()},
      h('h2', null, Osler.t('help')),
      h(
        'dl',
        null,
        HELP.map(([keys, label]) => [
          h(
            'dt',
            null,
            keys.map((key) => h('kbd', null, key)),
          ),
          h('dd', null, Osler.t(label)),
        ]),
      ),
      h('form', {method: 'dialog'}, h('button', null, Osler.t('close'))),
    );
    document.body.append(dialog);
    dialog.showModal();
  }

  function writing(element) {
    return element.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=range], [type=button])');
  }

  function up() {
    const route = Osler.route();
    if (route.view === 'consultation' || route.view === 'compare')
      Osler.go(Osler.link(route.run, Osler.frame.back(route)));
    else Osler.go('#/');
  }

  function search() {
    const field = document.querySelector('input[type=search]');
    if (field) field.focus();
    else if (Osler.route().run)
      Osler.go(Osler.link(Osler.route().run, [...Osler.frame.back(Osler.route()), ['focus', 'search']]));
  }

  function escape(target) {
    const open = document.querySelector('details.facet[open]');
    if (open) {
      open.open = false;
      open.querySelector('summary').focus();
    } else if (writing(target)) target.blur();
    else up();
  }

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || document.querySelector('dialog[open]'))
      return;
    if (event.key === 'Escape') return escape(event.target);
    if (writing(event.target)) return;
    const action = {'?': help, '/': search, ...Osler.route().keys}[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  Osler.help = help;
  document.addEventListener('keydown', pressed);
})();
