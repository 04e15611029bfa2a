'use strict';
// Everything is loaded: begin.
(() => {
  Osler.frame.begin();
  window.addEventListener('hashchange', Osler.draw);
  document.addEventListener('click', (event) => {
    for (const facet of document.querySelectorAll('details.facet[open]'))
      if (!facet.contains(event.target)) facet.open = false;
  });
  document.getElementById('skip').addEventListener('click', (event) => {
    event.preventDefault(); // the address after # belongs to the views
    document.getElementById('main').focus();
  });
  Osler.draw();
  Osler.live.watch();
})();
