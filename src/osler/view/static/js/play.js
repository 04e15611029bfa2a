'use strict';
// A person in a chair of a consultation: what was said, what to say next, and what a memory keeps of it.
(() => {
  const {h, fill, said, list} = Osler;
  const LONGEST = 2000;

  const box = (label, name, rows) =>
    h(
      'label',
      {class: 'field'},
      h('span', null, label),
      h('textarea', {
        name,
        rows,
        maxlength: LONGEST,
        required: true,
        enterkeyhint: 'send',
        onkeydown: (event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          event.target.form.requestSubmit();
        },
      }),
    );

  // What the person may do now. The fields stay as they are while the other side thinks, so that nothing typed is lost.
  function controls(state, act, leave) {
    const doctor = state.as === 'doctor';
    const sayForm = h(
      'form',
      {class: 'sheet', onsubmit: (event) => submit(event, (data) => ({say: data.get('say')}))},
      box(Osler.t(doctor ? 'your_question' : 'your_answer'), 'say', 2),
      h('button', {class: 'strong'}, Osler.t(doctor ? 'ask' : 'say')),
    );
    const endForm = h(
      'form',
      {
        class: 'sheet',
        onsubmit: (event) =>
          submit(event, (data) => ({diagnosis: data.get('diagnosis'), treatment: data.get('treatment')})),
      },
      box(Osler.t('your_diagnosis'), 'diagnosis', 1),
      box(Osler.t('your_treatment'), 'treatment', 2),
      h('button', {class: 'strong'}, Osler.t('conclude')),
    );
    async function submit(event, read) {
      event.preventDefault();
      const form = event.target;
      const move = read(new FormData(form));
      if (Object.values(move).every((text) => text.trim()) && (await act(move))) form.reset();
    }
    return [
      sayForm,
      doctor ? h('details', {class: 'conclude'}, h('summary', null, Osler.t('conclude')), endForm) : null,
      h('button', {type: 'button', class: 'quiet', onclick: leave}, Osler.t('discard')),
    ];
  }

  function memoryOf(state) {
    const turns = state.memory
      .map((one) => [one, Osler.turnPanel.changes(one)])
      .filter(([, lines]) => lines)
      .reverse();
    return [
      h('h2', null, Osler.t('remembers')),
      turns.length
        ? turns.map(([one, lines]) =>
            h(
              'section',
              null,
              h(
                'h3',
                null,
                Osler.t('turn_n', {n: one.turn}),
                one.group === null || one.group === undefined
                  ? null
                  : h('small', {class: 'badge'}, Osler.t('group', {n: one.group})),
              ),
              lines,
            ),
          )
        : h('p', {class: 'dim'}, Osler.t('memory_empty')),
      state.recalled ? Osler.turnPanel.recalled(state.recalled) : null,
    ];
  }

  function known(state, lang) {
    if (state.as !== 'patient' || state.waiting_for !== 'you') return null;
    return h(
      'section',
      {class: 'known'},
      h('h3', null, Osler.t('knows')),
      state.known.length
        ? list(state.known, (entry) => [h('strong', null, said(entry.name, {lang})), ' ', said(entry.told, {lang})])
        : h('p', {class: 'dim'}, Osler.t('knows_nothing')),
    );
  }

  async function session(route) {
    const address = `api/play/${encodeURIComponent(route.session)}`;
    let state = await Osler.get(address, []);
    const left = new AbortController(); // ends the waiting when the person goes
    let answer = null; // what the person concluded, to be held against the truth
    const lang = state.case.language;
    const [log, status, now, result, memory] = [
      h('ol', {class: 'turns', role: 'log', 'aria-live': 'polite', 'aria-label': Osler.t('exchange')}),
      h('p', {class: 'dim', role: 'status'}),
      h('div', null),
      h('div', null),
      h('aside', {class: 'panel open', 'aria-label': Osler.t('remembers')}),
    ];
    const form = h('div', {class: 'move'}, controls(state, act, leave));

    function draw(next) {
      state = next;
      for (const line of state.lines.slice(log.children.length))
        log.append(h('li', {class: 'spoken'}, Osler.conversation.line(line.who, line.text, lang)));
      const more =
        state.turns_left === null || state.turns_left === undefined
          ? null
          : Osler.t('turns_left', {n: state.turns_left});
      const whose = Osler.t({you: 'your_turn', other: 'other_speaks', over: 'ended'}[state.waiting_for]);
      fill(status, [whose, state.waiting_for === 'over' ? null : more].filter(Boolean).join(' · '));
      fill(now, state.failed ? said(state.failed, {tag: 'p', name: 'problem'}) : null, known(state, lang));
      fill(memory, memoryOf(state));
      form.hidden = state.waiting_for === 'over';
      for (const button of form.querySelectorAll('.strong')) button.disabled = state.waiting_for !== 'you';
      if (state.result && !result.children.length) {
        fill(result, Osler.playResult(state.result, answer, lang));
        document.getElementById('result')?.focus();
      }
      log.lastElementChild?.scrollIntoView({block: 'nearest'});
    }
    async function act(move) {
      try {
        if (move.diagnosis) answer = move;
        draw(await Osler.send('POST', address, move));
        return true;
      } catch (error) {
        fill(now, Osler.frame.problem(error));
        return false;
      }
    }
    async function leave() {
      left.abort();
      await Osler.send('DELETE', address).catch(() => null);
      Osler.go('#/play');
    }
    async function follow() {
      while (!left.signal.aborted && state.waiting_for !== 'over') {
        try {
          const next = await Osler.get(address, [['seen', state.seen]], {signal: left.signal});
          if (next.seen > state.seen) draw(next);
        } catch (error) {
          if (error.name !== 'AbortError') fill(now, Osler.frame.problem(error));
          return;
        }
      }
    }
    draw(state);
    const person = [state.case.age, Osler.word('x', state.case.sex)].filter(Boolean).join(' · ');
    return {
      title: Osler.t('play'),
      leave: () => left.abort(),
      shown: () => {
        follow();
        form.querySelector('textarea').focus();
      },
      body: [
        h(
          'div',
          {class: 'talk'},
          h(
            'header',
            {class: 'about'},
            h('p', {class: 'dim'}, said(person)),
            h('h1', null, said(state.case.complaint, {lang})),
          ),
          log,
          status,
          now,
          form,
          result,
        ),
        memory,
      ],
    };
  }

  Osler.views.play = (route) => (route.session ? session(route) : Osler.playStart());
})();
