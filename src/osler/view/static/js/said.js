'use strict';
// Text that others wrote: made plain, kept apart from the text around it, and folded where it is very long.
(() => {
  const {h, fill} = Osler;
  const LONG = 20000;
  const SHOWN = 2000;
  const PIECE = 20000;
  const MANY = 100;
  // Marks that turn the direction of text round, and control characters. They are shown by name, so that they neither
  // act nor hide. New lines and tabs stay.
  const MARKS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
  const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

  function plain(text) {
    return String(text)
      .replace(LONE, '\ufffd')
      .replace(/\r\n?/g, '\n')
      .replace(MARKS, (mark) => `‹U+${mark.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}›`);
  }

  // Where a text may be cut near a place: after white space if there is some, never within one character.
  function cut(text, near) {
    if (near >= text.length) return text.length;
    const space = Math.max(text.lastIndexOf(' ', near), text.lastIndexOf('\n', near));
    if (space > near - 200) return space + 1;
    return /[\udc00-\udfff]/.test(text[near]) ? near + 1 : near;
  }

  // A long text in pieces, each laid out by the browser only when it comes into sight.
  function pieces(text) {
    const parts = [];
    for (let start = 0; start < text.length;) {
      const end = Math.max(cut(text, start + PIECE), start + 1);
      parts.push(h('span', {class: 'piece'}, text.slice(start, end)));
      start = end;
    }
    return parts;
  }

  // What somebody said. `lang` is the language it is in, where that is known.
  function said(text, {lang = null, tag = 'bdi', name = ''} = {}) {
    if (text === null || text === undefined || text === '') return null;
    const element = h(tag, {class: `said ${name}`.trim(), lang, dir: 'auto'});
    const raw = String(text);
    if (raw.length <= LONG) return fill(element, plain(raw));
    const more = h(
      'button',
      {
        type: 'button',
        class: 'more',
        onclick: (event) => {
          event.stopPropagation();
          element.classList.add('long');
          element.setAttribute('tabindex', '0');
          fill(element, pieces(plain(raw)));
          element.focus();
        },
      },
      Osler.t('show_all', {n: Osler.count(raw.length)}),
    );
    return fill(element, plain(raw.slice(0, cut(raw, SHOWN))), '… ', more);
  }

  // A list, of which only the first hundred are laid out until more are asked for.
  function list(items, render, {tag = 'ul', name = ''} = {}) {
    const element = h(tag, {class: name || null});
    const show = (some) => some.map((item, index) => h('li', null, render(item, index)));
    if (items.length <= MANY) return fill(element, show(items));
    const rest = h(
      'li',
      null,
      h(
        'button',
        {type: 'button', class: 'more', onclick: () => fill(element, show(items))},
        Osler.t('show_items', {n: Osler.count(items.length - MANY)}),
      ),
    );
    return fill(element, show(items.slice(0, MANY)), rest);
  }

  Object.assign(Osler, {plain, said, list});
})();
