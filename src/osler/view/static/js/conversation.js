'use strict';
// What doctor and patient said, as a conversation.
(() => {
  const {h, said} = Osler;
  const WITHOUT_MODEL = new Set(['rules', 'human']);

  function line(who, text, lang, ...notes) {
    const told = notes.filter(Boolean);
    return h(
      'div',
      {class: `line ${who}`},
      h(
        'span',
        {class: 'who'},
        Osler.t(who),
        told.map((note) => h('small', {class: 'badge'}, note)),
      ),
      said(text, {lang, tag: 'p'}),
    );
  }

  // Who made it, where that is not whoever has the seat, at the first try.
  function voice(maker, seat) {
    const expected = WITHOUT_MODEL.has(seat) ? seat : 'model';
    return maker === expected ? null : Osler.word('k', maker);
  }

  // What was done to models' words in this turn, in one line.
  function done(turn) {
    const told = turn.interventions.map((one) => `${Osler.word('seat', one.who)}: ${Osler.word('i', one.kind)}`);
    return told.length ? h('p', {class: 'interventions dim'}, [...new Set(told)].join(' · ')) : null;
  }

  // Both lines of one turn.
  function exchange(turn, header) {
    const lang = header.language;
    return [
      line(
        'doctor',
        turn.question,
        lang,
        turn.repeated ? Osler.t('repeated') : null,
        voice(turn.maker, header.backbone),
      ),
      turn.reply === null
        ? null
        : line(
            'patient',
            turn.reply,
            lang,
            ...Osler.faults.map((kind) => (turn.ledger[kind].length ? Osler.t(kind) : null)),
            voice(turn.reply_maker, header.patient_backbone),
          ),
      turn.results ? line('report', turn.results, lang) : null,
      done(turn),
    ];
  }

  Osler.conversation = {line, exchange};
})();
