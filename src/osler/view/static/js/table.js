'use strict';
// The consultations of a run: filtered and sorted where they are kept, a page of a hundred at a time.
(() => {
  const {h, fill, said} = Osler;
  const PAGE = 100;
  const COLUMNS =
    'case specialty language backbone strategy memory variants trial diagnosis treatment cause ending turns repeats tokens seconds'.split(
      ' ',
    );
  const NUMBERS = new Set(['turns', 'repeats', 'tokens', 'seconds']);
  // Columns that the data has under another name.
  const SORTS = {diagnosis: 'diagnosis_verdict', treatment: 'treatment_verdict'};

  // Most runs have no variants or were never explained, and their columns would be empty.
  function columns(run) {
    const empty = {variants: !run.variants.some((one) => Osler.named(run, one)), cause: !run.causes.length};
    return COLUMNS.filter((name) => !empty[name]);
  }

  const verdict = (value) => (value ? h('span', {class: `verdict ${value}`}, Osler.word('v', value)) : null);

  function cells(row, run) {
    return {
      specialty: said(row.specialty),
      language: Osler.word('l', row.language),
      backbone: said(Osler.named(run, row.backbone)),
      strategy: said(row.strategy),
      memory: said(Osler.named(run, row.memory)),
      variants: said(Osler.named(run, row.variants)),
      trial: row.trial,
      diagnosis: verdict(row.diagnosis_verdict),
      treatment: verdict(row.treatment_verdict),
      cause: Osler.word('c', row.cause),
      ending: [
        row.ending ? Osler.word('e', row.ending) : Osler.word('s', row.state),
        row.failure ? said(row.failure, {tag: 'small'}) : null,
        row.memory_failures ? h('small', null, Osler.t('memory_failed', {n: Osler.count(row.memory_failures)})) : null,
      ],
      turns: Osler.count(row.turns),
      repeats: Osler.count(row.repeats),
      tokens: Osler.count(row.tokens),
      seconds: Osler.decimal(row.seconds),
    };
  }

  function line(row, run, index, route, tick) {
    const parameters = [...Osler.frame.back(route).filter(([name]) => name !== 'offset'), ['at', index]];
    const patient = h(
      'th',
      {scope: 'row'},
      h('a', {href: Osler.link(`${route.run}/${row.cell}`, parameters)}, said(row.case)),
      row.fork ? h('small', null, Osler.t('fork_of', {turn: row.fork.turn})) : null,
      row.snippet ? said(row.snippet, {tag: 'small', lang: row.language, name: 'snippet'}) : null,
    );
    const values = cells(row, run);
    return h(
      'tr',
      {'data-cell': row.cell},
      h('td', {class: 'tick'}, tick(row)),
      patient,
      columns(run).slice(1).map((column) =>
        h('td', {class: NUMBERS.has(column) ? 'number' : null, 'data-label': Osler.t(column)}, values[column]),
      ),
    );
  }

  function heads(run, route, sort) {
    const by = route.parameters.get('sort') || 'case';
    const down = route.parameters.get('desc') === '1';
    return h(
      'tr',
      null,
      h('td', null),
      columns(run).map((name) => {
        const column = SORTS[name] || name;
        const here = by === column;
        return h(
          'th',
          {
            scope: 'col',
            class: NUMBERS.has(name) ? 'number' : null,
            'aria-sort': here ? (down ? 'descending' : 'ascending') : null,
          },
          h(
            'button',
            {
              type: 'button',
              title: Osler.t('sort_by', {name: Osler.t(name)}),
              onclick: () => sort(column, here && !down),
            },
            Osler.t(name),
            here ? h('span', {'aria-hidden': 'true'}, down ? ' ↓' : ' ↑') : null,
          ),
        );
      }),
    );
  }

  function pager(answer, offset, turn) {
    const last = Math.min(offset + answer.rows.length, answer.total);
    const step = (label, to, possible) =>
      h('button', {type: 'button', disabled: !possible, onclick: () => turn(to)}, label);
    return [
      step(`← ${Osler.t('previous')}`, Math.max(0, offset - PAGE), offset > 0),
      h(
        'span',
        null,
        Osler.t('of_total', {
          from: Osler.count(answer.total ? offset + 1 : 0),
          to: Osler.count(last),
          total: Osler.count(answer.total),
        }),
      ),
      step(`${Osler.t('next')} →`, offset + PAGE, last < answer.total),
    ];
  }

  async function found(key) {
    const run = (await Osler.get('api/runs')).runs.find((one) => one.key === key);
    if (!run) throw new Error(Osler.t('not_there'));
    return run;
  }

  // A run's name; while it is live, also how far it is.
  const name = (run) => [
    said(run.name),
    run.live
      ? h(
          'span',
          {class: 'badge live'},
          `${Osler.t('live')} · ${Osler.t('done', {done: Osler.count(run.done), total: Osler.count(run.total)})}`,
        )
      : null,
  ];

  Osler.views.table = async (route) => {
    const run = await found(route.run);
    const title = h('h1', null, name(run));
    const [head, body, pages, note] = [
      h('thead', null),
      h('tbody', null),
      h('nav', {class: 'pager', 'aria-label': Osler.t('consultations')}),
      h('p', {class: 'dim', role: 'status'}),
    ];
    const {bar, tick} = Osler.ticks(route);
    let asked = null;

    async function load() {
      asked?.abort();
      asked = new AbortController();
      const offset = Number(route.parameters.get('offset') || 0);
      const parameters = [
        ...Osler.frame.back(route).filter(([name]) => name !== 'focus' && name !== 'offset'),
        ['offset', offset],
        ['limit', PAGE],
      ];
      try {
        const answer = await Osler.get(`api/runs/${route.run}/rows`, parameters, {signal: asked.signal});
        Osler.steady(() => {
          fill(head, heads(run, route, sort));
          fill(
            body,
            answer.rows.map((row, index) => line(row, run, offset + index, route, tick)),
          );
          fill(
            pages,
            pager(answer, offset, (to) => change({offset: to || null})),
          );
        });
        fill(note, answer.note ? said(answer.note) : answer.total ? null : Osler.t('no_rows'));
      } catch (error) {
        if (error.name !== 'AbortError') fill(note, Osler.frame.problem(error));
      }
    }
    function change(changes) {
      Osler.note(changes);
      return load();
    }
    const sort = (name, descending) =>
      change({sort: name, desc: descending ? 1 : null, offset: null}).then(() =>
        head.querySelector(`[aria-sort] button`)?.focus(),
      );
    await load();
    const search = () =>
      route.parameters.get('focus') === 'search' &&
      (Osler.note({focus: null}), document.querySelector('input[type=search]').focus());
    return {
      title: Osler.plain(run.name),
      crumbs: {run: said(run.name)},
      shown: search,
      changed: async (runs) => {
        if (!runs.includes(route.run)) return;
        fill(title, name(await found(route.run)));
        await load();
      },
      body: [
        title,
        Osler.settings(run.settings),
        Osler.makers.ofRun(run),
        Osler.filters(run, route, load),
        bar,
        note,
        h(
          'div',
          {class: 'scroll'},
          h('table', {class: 'rows consultations'}, h('caption', null, Osler.t('consultations')), head, body),
        ),
        pages,
      ],
    };
  };
  Osler.verdict = verdict;
})();
