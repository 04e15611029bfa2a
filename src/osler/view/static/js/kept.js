'use strict';
// The reader's few choices, kept between visits where the browser allows it.
(() => {
  const held = new Map();

  Osler.kept = {
    get(name) {
      try {
        return localStorage.getItem(`osler.${name}`) ?? held.get(name) ?? null;
      } catch {
        return held.get(name) ?? null;
      }
    },
    set(name, value) {
      held.set(name, value);
      try {
        localStorage.setItem(`osler.${name}`, value);
      } catch {
        // Pages from disk and private windows may have no storage; the choice then lasts as long as the page.
      }
    },
  };
})();
