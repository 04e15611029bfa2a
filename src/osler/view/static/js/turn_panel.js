'use strict';
// What lay behind one turn: what was asked of the record, what the memory did, and what models were told and said.
(() => {
  const {h, fill, said, list} = Osler;
  const CHANGES = [
    ['inserted', '+'],
    ['merged', '&'],
    ['superseded', '×'],
    ['forgotten', '−'],
    ['refused', '!'],
  ];

  const part = (label, ...content) => h('section', null, h('h3', null, label), ...content);
  const dim = (text) => h('p', {class: 'dim'}, text);
  const folded = (label, ...content) => h('details', null, h('summary', null, label), ...content);

  const number = (value) => h('span', {class: 'number', title: Osler.t('score')}, Osler.decimal(value, 2));

  // A probability; the scores of a memory have no fixed range and stand as numbers alone.
  const score = (value) => [
    h('meter', {min: 0, max: 1, value: Math.min(1, Math.max(0, Number(value) || 0)), 'aria-hidden': 'true'}),
    number(value),
  ];

  function found(ledger) {
    const told = new Set(ledger.disclosed);
    const names = new Set(ledger.retrieved.map((entry) => entry.name));
    const more = ledger.disclosed.filter((name) => !names.has(name)).map((name) => ({name, score: null}));
    return list(
      [...ledger.retrieved, ...more],
      (entry) => [
        h(
          'span',
          {class: 'grow'},
          said(entry.name),
          told.has(entry.name) ? h('small', {class: 'told'}, Osler.t('disclosed')) : null,
        ),
        entry.score === null ? null : score(entry.score),
      ],
      {name: 'scored'},
    );
  }

  // What the answer about a thing rests on; what the record tells goes without saying.
  function standing(ledger, name) {
    const thing = ledger.things.find((one) => one.name === name);
    if (!thing || thing.standing === 'told') return null;
    return h('small', {class: 'dim'}, ` ${Osler.t(`thing_${thing.standing}`)}`);
  }

  const warned = (name, texts) =>
    texts.length
      ? part(
          Osler.t(name),
          list(texts, (text) => said(text), {name: 'warned'}),
        )
      : null;

  // What was done to a model's words, in its place or to its prompt.
  function interventions(turn) {
    return turn.interventions.map((one) =>
      folded(
        `${Osler.word('seat', one.who)}: ${Osler.word('i', one.kind)}`,
        one.draft ? said(one.draft, {tag: 'p'}) : null,
        list(one.reasons, (reason) => said(reason), {name: 'dim'}),
      ),
    );
  }

  function ram(turn) {
    const {ledger} = turn;
    return [
      part(
        Osler.t('retrieved'),
        ledger.retrieved.length || ledger.disclosed.length ? found(ledger) : dim(Osler.t('nothing_found')),
      ),
      ...Osler.faults.map((kind) => warned(kind, ledger[kind])),
      part(
        Osler.t('asked_for'),
        ledger.asked_for.length
          ? list(ledger.asked_for, (name) => [said(name), standing(ledger, name)], {name: 'chips'})
          : dim(Osler.t('nothing_told')),
      ),
      interventions(turn),
    ];
  }

  function recalled(recall) {
    const {facts = [], exchanges = [], text = ''} = recall || {};
    if (!text && !facts.length && !exchanges.length) return part(Osler.t('recalled'), dim(Osler.t('no_recall')));
    const ranked = new Set(facts.map((fact) => fact.score)).size > 1; // all equal: the memory ranks nothing
    const best = [...facts].sort((one, other) => other.score - one.score);
    return part(
      Osler.t('recalled'),
      recall.query ? h('p', {class: 'dim'}, `${Osler.t('query')}: `, said(recall.query)) : null,
      list(
        best,
        (fact) => [
          h(
            'span',
            {class: 'grow'},
            said([fact.subject, fact.relation, fact.object].filter(Boolean).join(' ')),
            fact.denied ? h('small', {class: 'badge'}, Osler.t('denied')) : null,
            h('small', null, Osler.t('from_turn', {n: fact.turn})),
          ),
          ranked ? number(fact.score) : null,
        ],
        {name: 'scored'},
      ),
      list(
        exchanges,
        (turn) =>
          h(
            'span',
            {class: 'grow'},
            said(turn.question, {tag: 'em'}),
            ' ',
            said(turn.reply),
            h('small', null, Osler.t('from_turn', {n: turn.number})),
          ),
        {name: 'scored'},
      ),
      recall.dropped?.length ? dim(Osler.t('dropped', {turns: recall.dropped.join(', ')})) : null,
      text ? folded(Osler.t('recall_text'), said(text, {tag: 'pre'})) : null,
    );
  }

  // What the doctor recalled of earlier patients; nothing is shown of a doctor without experience.
  function lessons(some = []) {
    if (!some.length) return null;
    const row = (one) => [
      h('span', {class: 'grow'}, said(one.when, {tag: 'em'}), ' ', said(one.text), h('small', null, said(one.case))),
      number(one.fit),
    ];
    return part(Osler.t('lessons'), list(some, row, {name: 'scored'}));
  }

  // What remembering a turn did: one line each, with a mark that can be told without colour.
  function changes(change) {
    const lines = CHANGES.flatMap(([name, mark]) => (change?.[name] || []).map((text) => ({name, mark, text})));
    return lines.length
      ? list(
          lines,
          ({name, mark, text}) =>
            h(
              'div',
              {class: `change ${name}`},
              h('span', {class: 'sign', 'aria-hidden': 'true'}, mark),
              h(
                'span',
                {class: 'grow'},
                h('small', {class: name === 'inserted' ? 'unseen' : null}, Osler.t(name)),
                said(text),
              ),
            ),
          {name: 'changes'},
        )
      : null;
  }

  function memory(turn) {
    const group =
      turn.memory && turn.memory.group !== null && turn.memory.group !== undefined
        ? h('small', {class: 'badge'}, Osler.t('group', {n: turn.memory.group}))
        : null;
    return [
      recalled(turn.recall),
      lessons(turn.lessons),
      h(
        'section',
        null,
        h('h3', null, Osler.t('remembers'), group),
        changes(turn.memory) || dim(Osler.t('nothing_changed')),
      ),
    ];
  }

  function call(one, address) {
    const facts = [
      Osler.t('tokens_of', {in: Osler.count(one.tokens_in) || '?', out: Osler.count(one.tokens_out) || '?'}),
      one.tokens_cached ? Osler.t('cached', {n: Osler.count(one.tokens_cached)}) : null,
      Osler.t('second', {n: Osler.decimal(one.seconds, 2)}),
      one.attempts > 1 ? Osler.t('attempts', {n: one.attempts}) : null,
      one.source === 'model' ? null : one.source,
      one.unread ? Osler.t('unread', {n: Osler.count(one.unread)}) : null,
    ].filter(Boolean);
    const place = h('div', null, dim(Osler.t('loading')));
    const load = async (event) => {
      if (!event.target.open || place.dataset.loaded) return;
      place.dataset.loaded = '1';
      try {
        const texts = await Osler.get(`${address}/calls/${one.number}`);
        fill(
          place,
          texts.messages.map((message) => [h('h3', null, said(message.role)), said(message.content, {tag: 'pre'})]),
          texts.thought ? [h('h3', null, Osler.t('thought')), said(texts.thought, {tag: 'pre'})] : null,
          h('h3', null, Osler.t('answer')),
          said(texts.answer, {tag: 'pre'}),
        );
      } catch (error) {
        fill(place, Osler.frame.problem(error));
      }
    };
    return h(
      'details',
      {class: 'call', ontoggle: load},
      h('summary', null, h('strong', null, said(one.role)), ' ', said(one.model), h('small', null, facts.join(' · '))),
      one.failure ? said(one.failure, {tag: 'p', name: 'warned'}) : null,
      place,
    );
  }

  const prompts = (turn, address) =>
    turn.calls.length ? turn.calls.map((one) => call(one, address)) : dim(Osler.t('no_calls'));

  // Tokens and time of a turn's calls; a sum that is unknown in one part is not told.
  function spent(calls) {
    if (!calls.length) return '';
    const sum = (name) => calls.reduce((total, one) => total + (one[name] ?? NaN), 0);
    const tokens = sum('tokens_in') + sum('tokens_out');
    const time = Osler.t('second', {n: Osler.decimal(sum('seconds'), 1)});
    return Number.isNaN(tokens) ? time : `${Osler.t('n_tokens', {n: Osler.count(tokens)})} · ${time}`;
  }

  Osler.turnPanel = {ram, memory, prompts, changes, recalled, spent};
})();
