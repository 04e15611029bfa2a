'use strict';
// Who made what: the shares of every maker, what was done to models' words, and what each seat's model used.
(() => {
  const {h, fill, said} = Osler;
  const PRODUCTS = ['questions', 'retrievals', 'replies', 'thoughts'];
  const MAKERS = ['model', 'retried', 'cut', 'strategy', 'rules', 'silent', 'human'];
  const SEATS = ['doctor', 'patient', 'ram', 'memory', 'experience'];
  // Without `reused`: which column was given an answer again depends on which came first.
  const KINDS = ['refused', 'unread', 'shortened', 'cut', 'rules', 'overflow'];

  const total = (counts) => Object.values(counts || {}).reduce((sum, n) => sum + n, 0);
  const percent = (part, whole) => (whole ? `${Osler.decimal((100 * part) / whole)} %` : '–');

  // Rows of a table: a label, and a cell for each column. What never occurs has no row.
  function shares(columns, named) {
    return PRODUCTS.flatMap((product) => {
      const counts = columns.map(({makers}) => makers.made[product] || {});
      if (!counts.some(total)) return [];
      const there = MAKERS.filter((maker) => counts.some((one) => one[maker]));
      return [
        [named('row_total', Osler.t(`made_${product}`)), counts.map((one) => Osler.count(total(one)))],
        ...there.map((maker) => [
          `${Osler.t(`made_${product}`)}: ${Osler.word('k', maker)}`,
          counts.map((one) => percent(one[maker] || 0, total(one))),
        ]),
      ];
    });
  }

  function interventions(columns, named) {
    const count = (seat, kind) => columns.map(({makers}) => (makers.interventions[seat] || {})[kind] || 0);
    const rows = SEATS.flatMap((seat) =>
      KINDS.map((kind) => [`${Osler.t(seat)}: ${Osler.word('i', kind)}`, count(seat, kind)]),
    );
    const memory = ['proposed', 'refused'].map((name) => [
      Osler.t(`thoughts_${name}`),
      columns.map(({makers}) => makers[name]),
    ]);
    return [...rows, ...memory]
      .filter(([, counts]) => counts.some(Boolean))
      .map(([label, counts]) => [named('row_total', label), counts.map(Osler.count)]);
  }

  // Per consultation; a sum that is unknown in one part is not told.
  function usage(columns, named) {
    const used = ({makers, consultations}, seat, names) => {
      const own = makers.usage[seat];
      const values = names.map((name) => (own ? own[name] : 0));
      return values.includes(null) || !consultations ? null : values.reduce((sum, n) => sum + n, 0) / consultations;
    };
    const rows = (label, names, digits) =>
      SEATS.map((seat) => [
        Osler.t(label, {who: Osler.t(seat)}),
        columns.map((column) => used(column, seat, names)),
        digits,
      ]);
    return [...rows('tokens_by', ['tokens_in', 'tokens_out'], 0), ...rows('cost_by', ['cost'], 4)]
      .filter(([, values]) => values.some(Boolean))
      .map(([label, values, digits]) => [
        named('row_mean', label),
        values.map((value) => (value === null ? '–' : Osler.decimal(value, digits))),
      ]);
  }

  // Over many consultations a label says how they are counted; of one consultation there is nothing to say.
  function table(columns, heads) {
    const named = (how, label) => (heads ? Osler.t(how, {label}) : label);
    const rows = [...shares(columns, named), ...interventions(columns, named), ...usage(columns, named)];
    return h(
      'div',
      {class: 'scroll'},
      h(
        'table',
        {class: 'rows makers'},
        heads
          ? h(
              'thead',
              null,
              h(
                'tr',
                null,
                h('td', null),
                heads.map((head) => h('th', {scope: 'col', class: 'number'}, said(head))),
              ),
            )
          : null,
        h(
          'tbody',
          null,
          rows.map(([label, cells]) =>
            h(
              'tr',
              null,
              h('th', {scope: 'row'}, label),
              cells.map((cell, place) => h('td', {class: 'number', 'data-label': heads?.[place]}, cell)),
            ),
          ),
        ),
      ),
    );
  }

  // Of all columns of a run: read when it is opened, since it is counted from every consultation.
  function ofRun(run) {
    const place = h('div', null, h('p', {class: 'dim'}, Osler.t('loading')));
    const load = async (event) => {
      if (!event.target.open) return;
      try {
        const {columns} = await Osler.get(`api/runs/${run.key}/makers`);
        const heads = columns.map((column) =>
          ['backbone', 'strategy', 'memory', 'variants']
            .map((name) => Osler.named(run, column[name]))
            .filter(Boolean)
            .join(' '),
        );
        fill(place, columns.length ? table(columns, heads) : h('p', {class: 'dim'}, Osler.t('made_by_rules')));
      } catch (error) {
        fill(place, Osler.frame.problem(error));
      }
    };
    return h('details', {class: 'who-made', ontoggle: load}, h('summary', null, Osler.t('who_made')), place);
  }

  // Of one consultation; nothing where rules did everything.
  function ofConsultation(measures) {
    const makers = measures?.makers;
    if (!makers) return null;
    const others = Object.values(makers.made).some((counts) => Object.keys(counts).some((one) => one !== 'rules'));
    if (!others && !Object.keys(makers.usage).length) return null;
    return h(
      'details',
      {class: 'measures'},
      h('summary', null, Osler.t('who_made')),
      table([{makers, consultations: 1}], null),
    );
  }

  Osler.makers = {ofRun, ofConsultation};
})();
