'use strict';
// Two or three consultations side by side, turn by turn, with the first place where they differ marked.
(() => {
  const {h, said} = Osler;

  const same = (one, other) => one && other && one.question === other.question && one.reply === other.reply;

  // The first turn in which not all said the same; 0 where they never differ.
  function divergence(stories) {
    const most = Math.max(...stories.map((story) => story.turns.length));
    for (let index = 0; index < most; index += 1) {
      const [first, ...others] = stories.map((story) => story.turns[index]);
      if (!others.every((other) => same(first, other))) return index + 1;
    }
    return 0;
  }

  // What is not the same in all of them comes first: it is why one compares.
  function name(story, stories, run) {
    const {header} = story;
    const differs = (field) => stories.some((other) => other.header[field] !== header[field]);
    const parts = [
      ['backbone', Osler.named(run, header.backbone)],
      ['strategy', header.strategy],
      ['memory', Osler.named(run, header.memory)],
      ['variants', Osler.named(run, header.variants)],
      ['language', Osler.word('l', header.language)],
      ['trial', `${Osler.t('trial')} ${header.trial}`],
    ];
    const apart = parts.filter(([field, value]) => value && differs(field)).map(([, value]) => value);
    return Osler.plain((apart.length ? apart : [Osler.named(run, header.memory)]).join(' · '));
  }

  function behind(turn) {
    const place = h('div', null);
    return h(
      'details',
      {
        ontoggle: (event) =>
          event.target.open && Osler.fill(place, Osler.turnPanel.ram(turn), Osler.turnPanel.memory(turn)),
      },
      h('summary', null, Osler.t('details')),
      place,
    );
  }

  function row(index, stories, first, run) {
    const cells = stories.map((story) => {
      const turn = story.turns[index];
      return h(
        'td',
        {'data-label': name(story, stories, run)},
        turn ? [Osler.conversation.exchange(turn, story.header), behind(turn)] : null,
      );
    });
    const mark =
      index + 1 === first
        ? h(
            'tr',
            {class: 'divergence', id: 'divergence', tabindex: '-1'},
            h('td', {colspan: stories.length + 1}, Osler.t('differ')),
          )
        : null;
    return [
      mark,
      h('tr', {class: first && index + 1 >= first ? 'apart' : null}, h('th', {scope: 'row'}, index + 1), cells),
    ];
  }

  function columns(stories, route, run) {
    return h(
      'tr',
      null,
      h('td', null),
      stories.map((story) =>
        h(
          'th',
          {scope: 'col'},
          h(
            'a',
            {href: Osler.link(`${route.run}/${story.cell}`, Osler.frame.back(route))},
            said(name(story, stories, run)),
          ),
          h(
            'small',
            null,
            [
              Osler.t('n_turns', {n: story.turns.length}),
              story.tokens === null ? null : Osler.t('n_tokens', {n: Osler.count(story.tokens)}),
              Osler.word('e', story.ending),
            ]
              .filter(Boolean)
              .join(' · '),
          ),
        ),
      ),
    );
  }

  Osler.views.compare = async (route) => {
    if (route.cells.length < 2 || route.cells.length > 3 || !route.cells.every((cell) => /^\d+$/.test(cell)))
      throw new Error(Osler.t('compare_hint'));
    const [{runs}, ...stories] = await Promise.all([
      Osler.get('api/runs'),
      ...route.cells.map((cell) => Osler.get(`api/runs/${route.run}/rows/${cell}`)),
    ]);
    const run = runs.find((one) => one.key === route.run);
    const first = divergence(stories);
    const most = Math.max(...stories.map((story) => story.turns.length));
    const jump = () => {
      const mark = document.getElementById('divergence');
      mark.scrollIntoView({block: 'center'});
      mark.focus({preventScroll: true});
    };
    const ends = (label, draw) =>
      h(
        'tr',
        {class: 'ends'},
        h('th', {scope: 'row'}, h('span', {class: 'unseen'}, label)),
        stories.map((story) => h('td', {'data-label': name(story, stories, run)}, draw(story))),
      );
    return {
      title: Osler.t('compare'),
      crumbs: {run: said(run.name), more: [Osler.t('compare')]},
      keys: {j: () => first && jump()},
      body: [
        h('h1', null, said(stories[0].about.complaint, {lang: stories[0].header.language})),
        stories.length < 3
          ? Osler.siblings(
              stories[0],
              stories.map((story) => story.cell),
              route,
              run,
            )
          : null,
        h(
          'p',
          null,
          first
            ? h('button', {type: 'button', onclick: jump}, Osler.t('to_divergence', {n: first}))
            : Osler.t('no_divergence'),
        ),
        h(
          'table',
          {class: `compare of-${stories.length}`},
          h('thead', null, columns(stories, route, run)),
          h(
            'tbody',
            null,
            Array.from({length: most}, (_, index) => row(index, stories, first, run)),
            ends(Osler.t('conclusion'), (story) => [
              h('h2', null, Osler.t('conclusion')),
              Osler.ending.conclusion(story),
            ]),
            ends(Osler.t('truth'), (story) => Osler.ending.reveal(story, () => null)),
          ),
        ),
      ],
    };
  };
})();
