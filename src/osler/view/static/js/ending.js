'use strict';
// How a consultation ended; and the truth, which is asked for only when the reader wants to see it.
(() => {
  const {h, fill, said, list} = Osler;

  const fact = (label, ...content) =>
    content.flat().some((one) => one) ? [h('dt', null, Osler.t(label)), h('dd', null, ...content)] : null;

  function conclusion(story) {
    const {conclusion: end, failed} = story;
    const lang = story.header.language;
    if (failed)
      return h('div', {class: 'problem'}, h('strong', null, Osler.word('e', story.ending)), ' ', said(failed.message));
    if (!end) return h('p', {class: 'dim'}, Osler.word('e', story.ending));
    return h(
      'dl',
      {class: 'facts'},
      fact('diagnosis', said(end.diagnosis, {lang, tag: 'strong'})),
      fact('treatment', said(end.treatment, {lang})),
      fact('differential', said((end.differential || []).join('; '), {lang})),
      fact('reasoning', said(end.reasoning, {lang})),
    );
  }

  // What a reader found: the line of the rubric, the answer's own words and what it does with them, side by side.
  const FOUND = /^(.*?)\s*“(.*)”:\s*(.*)$/;

  function because(text) {
    const lines = (text || '').split(/;\n/).map((line) => [line, FOUND.exec(line)]);
    if (!lines.some(([, found]) => found)) return said(text, {tag: 'p'});
    return h(
      'table',
      {class: 'found'},
      h(
        'tbody',
        null,
        lines.map(([line, found]) =>
          found
            ? h(
                'tr',
                null,
                h('td', null, said(found[1])),
                h('td', null, '“', said(found[2]), '”'),
                h('td', null, said(found[3])),
              )
            : h('tr', null, h('td', {colspan: 3}, said(line))),
        ),
      ),
    );
  }

  // What nobody had decided is left out once somebody has.
  function verdicts(found) {
    const decided = new Set(found.filter((one) => one.verdict !== 'undecided').map((one) => one.kind));
    return list(
      found.filter((one) => one.verdict !== 'undecided' || !decided.has(one.kind)),
      (one) => [
        h('strong', null, Osler.t(one.kind === 'treatment' ? 'treatment' : 'diagnosis')),
        ' ',
        Osler.verdict(one.verdict),
        because(one.because),
        one.judge
          ? h(
              'small',
              null,
              said(Osler.t('judge', {judge: one.judge})),
              one.rank ? ` · ${Osler.t('rank', {n: one.rank})}` : null,
            )
          : null,
      ],
      {name: 'verdicts'},
    );
  }

  // What a good work-up asks for, and where it was; only what decides is pointed out when it never was.
  function asked(entries, lang, choose) {
    return list(
      entries,
      (entry) => [
        h('span', {class: 'grow'}, said(entry.name, {lang})),
        entry.asked_in_turn
          ? h(
              'button',
              {type: 'button', class: 'quiet', onclick: () => choose(entry.asked_in_turn)},
              Osler.t(entry.by_strategy ? 'asked_by_strategy' : 'asked_in', {n: entry.asked_in_turn}),
            )
          : h('small', {class: entry.relevance === 'deciding' ? 'warned' : null}, Osler.t('never_asked')),
      ],
      {name: 'scored'},
    );
  }

  // Why the diagnosis is not right, what was missing, and from what the doctor was asked to conclude again.
  function lost(found, lang) {
    if (!found) return null;
    return [
      h('h3', null, Osler.t('lost_because'), h('small', {class: 'badge'}, Osler.word('c', found.cause))),
      said(found.line, {tag: 'p'}),
      list(
        found.steps,
        (step) => [
          h('span', {class: 'grow'}, Osler.word('step', step.step)),
          step.trials.map((one) => [said(one.diagnosis, {lang}), ' ', Osler.verdict(one.verdict), ' ']),
        ],
        {name: 'scored'},
      ),
    ];
  }

  function truth(found, story, choose) {
    const lang = story.header.language;
    const {diagnosis, treatment} = found;
    return [
      h(
        'dl',
        {class: 'facts'},
        fact('diagnosis', said(diagnosis.name, {lang, tag: 'strong'})),
        fact('aliases', said((diagnosis.aliases || []).join('; '), {lang})),
        fact('treatment', treatment ? said(treatment.name, {lang}) : null),
        fact('order_is', found.order ? said(found.order, {lang}) : null),
        fact('case', said(story.header.case)),
      ),
      h('h3', null, Osler.t('verdict')),
      verdicts(found.verdicts),
      lost(found.lost, lang),
      found.key_entries.length
        ? [
            h(
              'h3',
              null,
              Osler.t('key_entries'),
              h(
                'small',
                {class: 'badge'},
                Osler.t('asked_of', {
                  n: found.key_entries.filter((entry) => entry.asked_in_turn && !entry.by_strategy).length,
                  total: found.key_entries.length,
                }),
              ),
            ),
            asked(found.key_entries, lang, choose),
          ]
        : null,
    ];
  }

  // The button, and in its place the truth once it was pressed.
  function reveal(story, choose) {
    const place = h('section', {class: 'truth', 'aria-live': 'polite'});
    const show = async () => {
      try {
        const found = await Osler.get(`api/runs/${story.run}/rows/${story.cell}/truth`);
        const title = h('h2', {tabindex: '-1'}, Osler.t('truth'));
        fill(place, title, truth(found, story, choose));
        title.focus();
      } catch (error) {
        fill(place, Osler.frame.problem(error));
      }
    };
    return fill(
      place,
      h('p', {class: 'dim'}, Osler.t('guess')),
      h('button', {type: 'button', class: 'reveal', onclick: show}, Osler.t('reveal')),
    );
  }

  // Shares in per cent, as in every table.
  function shown({unit, value}) {
    if (unit === 'share') return `${Osler.decimal(100 * value, 1)} %`;
    return Number.isInteger(value) ? Osler.count(value) : Osler.decimal(value, 2);
  }

  // `notes` say who read the patient's replies, and how many of them.
  function measures(found, notes = []) {
    const rows = (found?.figures || []).filter(({value}) => typeof value === 'number');
    return rows.length
      ? h(
          'details',
          {class: 'measures'},
          h('summary', null, Osler.t('measures')),
          h(
            'dl',
            {class: 'figures'},
            rows.map((figure) => [
              h('dt', null, said(Osler.inLanguage(figure.label))),
              h('dd', null, shown(figure)),
            ]),
          ),
          notes.map((note) => h('p', {class: 'dim'}, said(note))),
        )
      : null;
  }

  Osler.ending = {conclusion, reveal, measures, verdicts, asked, fact};
})();
