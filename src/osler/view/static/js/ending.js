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

  function verdicts(found) {
    return list(
      found,
      (one) => [
        h('strong', null, Osler.t(one.kind === 'treatment' ? 'treatment' : 'diagnosis')),
        ' ',
        Osler.verdict(one.verdict),
        said(one.because, {tag: 'p'}),
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

  // `notes` say who counted leaks and fabrications, and how far that can be believed.
  function measures(found, notes = []) {
    const rows = Object.entries(found || {}).filter(
      ([, value]) => typeof value === 'number' || typeof value === 'boolean',
    );
    return rows.length
      ? h(
          'details',
          {class: 'measures'},
          h('summary', null, Osler.t('measures')),
          h(
            'dl',
            {class: 'figures'},
            rows.map(([name, value]) => [
              h('dt', null, Osler.words[`m_${name}`] ? Osler.t(`m_${name}`) : said(name)),
              h('dd', null, Number.isInteger(value) ? Osler.count(value) : Osler.decimal(value, 2)),
            ]),
          ),
          notes.map((note) => h('p', {class: 'dim'}, said(note))),
        )
      : null;
  }

  Osler.ending = {conclusion, reveal, measures, verdicts, asked, fact};
})();
