'use strict';
// What doctor and patient said, as a conversation.
(() => {
  const {h, said} = Osler;
  const VOICES = {replaced: 'replaced', retried: 'retried'};

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

  const voice = (name) => (VOICES[name] ? Osler.t(VOICES[name]) : null);

  // Both lines of one turn.
  function exchange(turn, lang) {
    return [
      line('doctor', turn.question, lang, turn.repeated ? Osler.t('repeated') : null, voice(turn.maker)),
      turn.reply === null
        ? null
        : line(
            'patient',
            turn.reply,
            lang,
            turn.ledger.leaks.length ? Osler.t('leaks') : null,
            turn.ledger.fabrications.length ? Osler.t('fabrications') : null,
            turn.ledger.contradictions.length ? Osler.t('contradictions') : null,
            voice(turn.reply_maker),
          ),
    ];
  }

  Osler.conversation = {line, exchange};
})();
