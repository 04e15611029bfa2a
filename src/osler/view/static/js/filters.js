'use strict';
// The filters above a table. They hold no state of their own: what is chosen stands in the address.
(() => {
  const {h, fill, said} = Osler;
  const VERDICTS = ['correct', 'partial', 'wrong', 'unsafe', 'undecided', 'none', 'unparsed'];
  const PAUSE = 180;

  // One column's values, several of which may be ticked.
  function facet(name, values, word, route, changed) {
    const chosen = () => route.parameters.getAll(name);
    const summary = h('summary', null);
    const head = () =>
      fill(summary, Osler.t(name), chosen().length ? h('strong', null, said(chosen().map(word).join(', '))) : null);
    const boxes = values.map((value) => {
      const box = h('input', {
        type: 'checkbox',
        value,
        checked: chosen().includes(value),
        onchange: () => {
          Osler.note({[name]: boxes.filter((one) => one.checked).map((one) => one.value), offset: null});
          head();
          changed();
        },
      });
      return box;
    });
    head();
    return h(
      'details',
      {class: 'facet', 'data-name': name},
      summary,
      h(
        'div',
        {class: 'options', role: 'group', 'aria-label': Osler.t(name)},
        boxes.map((box, index) => h('label', null, box, said(word(values[index])))),
      ),
    );
  }

  function field(name, type, route, changed) {
    let timer = null;
    const input = h('input', {
      type,
      name,
      value: route.parameters.get(name),
      placeholder: Osler.t(name),
      'aria-label': Osler.t(name),
      autocomplete: 'off',
      oninput: () => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          Osler.note({[name]: input.value.trim(), offset: null});
          changed();
        }, PAUSE);
      },
    });
    return input;
  }

  Osler.filters = (run, route, load) => {
    const names = [
      'search',
      'patient',
      'specialty',
      'language',
      'backbone',
      'strategy',
      'memory',
      'variants',
      'diagnosis',
      'treatment',
      'cause',
      'ending',
    ];
    const clear = h(
      'button',
      {type: 'button', class: 'quiet', onclick: () => Osler.go(Osler.link(route.run))},
      Osler.t('clear'),
    );
    const filtered = () => {
      clear.hidden = !names.some((name) => route.parameters.has(name));
    };
    const changed = () => {
      filtered();
      return load();
    };
    const kind = (letter) => (value) => Osler.word(letter, value);
    const named = (value) => Osler.named(run, value);
    const facets = [
      ['specialty', run.specialties, (value) => value],
      ['language', run.languages, kind('l')],
      ['backbone', run.backbones, named],
      ['strategy', run.strategies, named],
      ['memory', run.memories, named],
      ['variants', run.variants, (value) => named(value) || '–'],
      ['diagnosis', run.unjudged ? [...VERDICTS, 'unjudged'] : VERDICTS, kind('v')],
      ['treatment', VERDICTS, kind('v')],
      ['cause', run.causes, kind('c')],
      ['ending', run.endings, kind('e')],
    ];
    filtered();
    return h(
      'form',
      {class: 'filters', role: 'search', 'aria-label': Osler.t('filters'), onsubmit: (event) => event.preventDefault()},
      field('search', 'search', route, changed),
      field('patient', 'text', route, changed),
      facets
        .filter(([, values]) => values.length > 1)
        .map(([name, values, word]) => facet(name, values, word, route, changed)),
      clear,
    );
  };
})();
