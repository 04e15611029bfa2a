'use strict';
// One consultation: the conversation, and beside it what lay behind the turn one looks at.
(() => {
  const {h, said} = Osler;

  // The turns, and one more place for the conclusion, which has prompts and recall of its own.
  function stopsOf(story) {
    const nothing = {asked_for: [], things: [], retrieved: [], disclosed: []};
    for (const kind of Osler.faults) nothing[kind] = [];
    const closing = {interventions: [], calls: [], recall: null, ...story.closing};
    const last = {...closing, turn: story.turns.length + 1, closing: true, ledger: nothing, memory: null};
    return [...story.turns, last].map((stop) => ({...stop, lost: stop.turn === story.lost?.turn && story.lost.cause}));
  }

  function about(story, run) {
    const {header, about: person} = story;
    const speaker =
      person.speaker && person.speaker !== 'patient' ? `${Osler.word('p', person.speaker)} ${Osler.t('speaks')}` : null;
    const facts = [
      [Osler.t('doctor'), Osler.named(run, header.backbone), header.backbone],
      [Osler.t('strategy'), header.strategy],
      [Osler.t('memory'), Osler.named(run, header.memory), header.memory],
      [Osler.t('variants'), Osler.named(run, header.variants)],
      [Osler.t('patient'), Osler.named(run, header.patient_backbone), header.patient_backbone],
      [Osler.t('ram'), Osler.named(run, header.ram_backbone), header.ram_backbone],
      [Osler.t('cause'), Osler.word('c', story.lost?.cause)],
      [Osler.t('trial'), header.trial],
      [Osler.t('tokens'), Osler.count(story.tokens)],
      [Osler.t('seconds'), Osler.decimal(story.seconds)],
    ].filter(([, value]) => value !== '');
    return h(
      'header',
      {class: 'about'},
      h(
        'p',
        {class: 'dim'},
        said([person.age, Osler.word('x', person.sex), speaker, header.specialty].filter(Boolean).join(' · ')),
      ),
      h('h1', null, said(person.complaint, {lang: header.language})),
      h(
        'dl',
        {class: 'inline'},
        facts.map(([name, value, whole]) =>
          h('div', null, h('dt', null, name), h('dd', {title: whole === value ? null : whole}, said(value))),
        ),
      ),
      Osler.settings(header.settings),
    );
  }

  // Where the consultation was lost, if it was explained.
  const lostHere = (stop) =>
    stop.lost ? h('p', {class: 'lost'}, Osler.t('lost_here', {cause: Osler.word('c', stop.lost)})) : null;

  // What was said before the consultation, folded, with a heading for each visit.
  function visits({visits: past, header}) {
    if (!past.length) return null;
    const {line} = Osler.conversation;
    const lines = ({question, reply, results}) => [
      line('doctor', question, header.language),
      line('patient', reply, header.language),
      results ? line('report', results, header.language) : null,
    ];
    const title = (one) => (one.filler ? Osler.t('small_talk') : Osler.t('visit_n', {n: one.visit}));
    const speaker = (one) => (one.speaker === 'patient' ? null : Osler.word('p', one.speaker));
    return h(
      'details',
      {class: 'visits'},
      h('summary', null, Osler.t('visits', {n: past.filter((one) => !one.filler).length})),
      past.map((one) =>
        h(
          'section',
          null,
          h('h3', null, [one.date, title(one), speaker(one)].filter(Boolean).join(' · ')),
          one.turns.map(lines),
        ),
      ),
    );
  }

  function turnItem(turn, header, choose) {
    return h(
      'li',
      {class: 'turn', 'data-turn': turn.turn, onclick: () => String(getSelection()) || choose()},
      h(
        'button',
        {type: 'button', class: 'turn-number', 'aria-label': Osler.t('turn_n', {n: turn.turn}), onclick: choose},
        turn.turn,
      ),
      h('div', null, Osler.conversation.exchange(turn, header), lostHere(turn)),
    );
  }

  Osler.views.consultation = async (route) => {
    const address = `api/runs/${route.run}/rows/${route.cell}`;
    const [story, {runs}] = await Promise.all([Osler.get(address), Osler.get('api/runs')]);
    const lang = story.header.language;
    const stops = stopsOf(story);
    const {panel, show} = Osler.panel(route, address);
    const timeline = Osler.timeline(stops, (index) => choose(index));
    const placeOf = (turn) => stops.findIndex((stop) => stop.turn === turn);
    const items = stops.map((stop, index) =>
      stop.closing
        ? h(
            'li',
            {class: 'turn closing', onclick: () => String(getSelection()) || choose(index)},
            h('div', null, h('h2', null, Osler.t('conclusion')), Osler.ending.conclusion(story), lostHere(stop)),
          )
        : turnItem(stop, story.header, () => choose(index)),
    );
    let here = Math.max(0, placeOf(Number(route.parameters.get('turn') || 1)));

    function choose(index, move = true) {
      if (index < 0 || index >= stops.length) return;
      items[here].removeAttribute('aria-current');
      here = index;
      items[here].setAttribute('aria-current', 'step');
      timeline.show(here);
      show(stops[here]);
      if (!move) return;
      Osler.note({turn: stops[here].turn});
      items[here].scrollIntoView({block: 'nearest'});
    }
    const run = runs.find((one) => one.key === route.run);
    return {
      title: Osler.plain(story.about.complaint).slice(0, 60),
      crumbs: {run: said(run.name), more: [`${Osler.t('consultation')} ${story.cell}`]},
      keys: {
        j: () => choose(here + 1),
        k: () => choose(here - 1),
        n: () => Osler.neighbours.beside(route, 1),
        p: () => Osler.neighbours.beside(route, -1),
      },
      shown: () => choose(here, route.parameters.has('turn')),
      body: [
        h(
          'div',
          {class: 'talk'},
          Osler.neighbours.steps(route),
          about(story, run),
          Osler.siblings(story, [story.cell], route, run),
          visits(story),
          timeline.element,
          h('ol', {class: 'turns', 'aria-label': Osler.t('exchange')}, items),
          Osler.ending.reveal(story, (turn) => choose(placeOf(turn))),
          Osler.ending.measures(story.measures, story.patient_ruler.notes),
          Osler.makers.ofConsultation(story.measures),
        ),
        panel,
      ],
    };
  };
})();
