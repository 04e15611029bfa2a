'use strict';
// Before a consultation that a person takes part in: which chair, which patient, who sits opposite.
(() => {
  const {h, fill} = Osler;

  const field = (label, control) => h('label', {class: 'field'}, h('span', null, label), control);
  const options = (pairs, chosen) =>
    pairs.map(([value, name]) => h('option', {value, selected: value === chosen}, name));

  function cases(found) {
    const name = (one) => [one.age, Osler.word('x', one.sex), Osler.plain(one.complaint)].filter(Boolean).join(' · ');
    return [
      h('option', {value: ''}, Osler.t('surprise')),
      found.map((one) => h('option', {value: one.id, lang: one.language}, name(one))),
    ];
  }

  Osler.playStart = async () => {
    const problem = h('div', {role: 'status'});
    const chair = (value, label) =>
      h(
        'label',
        {class: 'chair'},
        h('input', {type: 'radio', name: 'as', value, checked: value === 'doctor', onchange: seat}),
        label,
      );
    const language = h(
      'select',
      {name: 'language', onchange: () => load()},
      options(
        [
          ['en', 'English'],
          ['zh', '中文'],
        ],
        Osler.language(),
      ),
    );
    const patient = h('select', {name: 'case'});
    const other = h('input', {name: 'other', value: 'rules', autocomplete: 'off', maxlength: 200, required: true});
    const memory = h('input', {name: 'memory', value: 'tim', autocomplete: 'off', maxlength: 200, required: true});
    const start = h('button', {class: 'strong'}, Osler.t('start'));
    const opposite = h('span', null, Osler.t('patient_is'));
    const form = h(
      'form',
      {class: 'sheet', onsubmit: begin},
      h(
        'fieldset',
        null,
        h('legend', null, Osler.t('what_you_do')),
        chair('doctor', Osler.t('as_doctor')),
        chair('patient', Osler.t('as_patient')),
      ),
      field(Osler.t('language'), language),
      field(Osler.t('choose_case'), patient),
      h(
        'details',
        null,
        h('summary', null, Osler.t('settings')),
        h('label', {class: 'field'}, opposite, other),
        field(Osler.t('memory_is'), memory),
      ),
      problem,
      start,
    );

    const seated = () => form.querySelector('input[name=as]:checked').value;
    function seat() {
      opposite.textContent = Osler.t(seated() === 'doctor' ? 'patient_is' : 'doctor_is');
    }
    async function load() {
      fill(patient, cases((await Osler.get('api/cases', [['language', language.value]])).cases));
    }
    async function begin(event) {
      event.preventDefault();
      start.disabled = true;
      fill(problem, h('p', {class: 'dim'}, Osler.t('other_speaks')));
      const wish = {as: seated(), case: patient.value || null, language: language.value, memory: memory.value.trim()};
      wish[wish.as === 'doctor' ? 'patient' : 'doctor'] = other.value.trim();
      try {
        Osler.go(Osler.link(`play/${(await Osler.send('POST', 'api/play', wish)).id}`));
      } catch (error) {
        start.disabled = false;
        fill(problem, Osler.frame.problem(error));
      }
    }
    await load();
    return {
      title: Osler.t('play'),
      body: [h('h1', null, Osler.t('play')), h('p', {class: 'lead'}, Osler.t('play_about')), form],
    };
  };
})();
