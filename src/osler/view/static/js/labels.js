'use strict';
// The page speaks English or Chinese, as the reader likes. What was said in a consultation keeps its own language.
(() => {
  const LANGUAGES = ['en', 'zh'];
  const {kept, words} = Osler;
  const usual = (navigator.language || '').startsWith('zh') ? 'zh' : 'en';
  let language = LANGUAGES.includes(kept.get('language')) ? kept.get('language') : usual;

  function t(key, slots = {}) {
    if (!words[key]) throw new Error(`no label: ${key}`);
    return words[key][LANGUAGES.indexOf(language)].replace(/\{(\w+)\}/g, (_, slot) => slots[slot]);
  }

  // The word for a value from the data (a verdict, an ending); a value that has no word stands for itself.
  function word(kind, value) {
    if (value === null || value === undefined || value === '') return '';
    return words[`${kind}_${value}`] ? t(`${kind}_${value}`) : Osler.plain(value);
  }

  const locale = () => (language === 'zh' ? 'zh-CN' : 'en-GB');
  const count = (n) => (n === null || n === undefined ? '' : Number(n).toLocaleString(locale()));
  const decimal = (n, digits = 1) =>
    n === null || n === undefined
      ? ''
      : Number(n).toLocaleString(locale(), {minimumFractionDigits: digits, maximumFractionDigits: digits});

  // What a run calls a backbone or a memory: short, and without the address of a server.
  const named = (run, name) => (Object.hasOwn(run.names || {}, name) ? run.names[name] : name);

  Object.assign(Osler, {
    t,
    word,
    named,
    count,
    decimal,
    language: () => language,
    // A label from the data, which comes in both languages.
    inLanguage: (label) => label[language],
    speak(next) {
      language = next;
      kept.set('language', next);
    },
  });
})();
