'use strict';
// The one global object, and the only way text reaches the page. What models and records say is untrusted:
// it becomes text nodes, never markup, and only the tags and attributes listed here can be made at all.
const Osler = (() => {
  const TAGS = new Set(
    `a article aside bdi button caption code dd details dialog div dl dt em fieldset footer form h1 h2
    h3 header input kbd label legend li main meter nav ol optgroup option output p pre section select small span strong
    summary table tbody td textarea th thead time tr ul`.split(/\s+/),
  );
  const ATTRIBUTES = new Set(
    `autocomplete checked class colspan dir disabled enterkeyhint for hidden id lang max
    maxlength method min name open placeholder required role rows scope selected step tabindex title type
    value`.split(/\s+/),
  );

  function attribute(element, name, value) {
    if (value === null || value === undefined || value === false) return;
    if (typeof value === 'function' && name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (name === 'href') {
      if (!String(value).startsWith('#')) throw new Error(`a link leads only within the page: ${value}`);
      element.setAttribute('href', value);
    } else if (ATTRIBUTES.has(name) || /^(aria|data)-[a-z-]+$/.test(name)) {
      element.setAttribute(name, value === true ? '' : String(value));
    } else {
      throw new Error(`not an attribute of this page: ${name}`);
    }
  }

  // h('p', {class: 'dim'}, 'text', child, [more]): an element; strings become text, null is left out.
  function h(tag, attributes, ...children) {
    if (!TAGS.has(tag)) throw new Error(`not an element of this page: ${tag}`);
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) attribute(element, name, value);
    fill(element, ...children);
    return element;
  }

  function fill(element, ...children) {
    element.replaceChildren(
      ...children
        .flat(Infinity)
        .filter((child) => child !== null && child !== undefined && child !== false)
        .map((child) => (child instanceof Node ? child : document.createTextNode(String(child)))),
    );
    return element;
  }

  // Draws a part of the page anew and gives the focus back to what had it, so that a live table can be used by keyboard.
  function steady(draw) {
    const name = (one) => [one.closest('[data-cell]')?.dataset.cell, one.tagName, one.textContent].join();
    const held = document.activeElement;
    const before = name(held);
    draw();
    if (held.isConnected) return;
    const same = [...document.querySelectorAll(held.tagName)].find((one) => name(one) === before);
    same?.focus({preventScroll: true});
  }

  return {h, fill, steady, views: {}};
})();
