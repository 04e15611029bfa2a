'use strict';
// Where the page's data comes from: the server it was opened from, or the files beside it on disk.
(() => {
  const fromDisk = () => document.documentElement.dataset.from === 'disk';

  function addressed(address, parameters) {
    const query = new URLSearchParams(parameters).toString();
    return query ? `${address}?${query}` : address;
  }

  async function request(address, options) {
    let response;
    try {
      response = await fetch(address, {...options, credentials: 'omit', redirect: 'error'});
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      throw new Error(Osler.t('gone'));
    }
    const body = await response.json().catch(() => ({}));
    if (!response.ok) throw new Error(body.error || `${response.status} ${response.statusText}`);
    return body;
  }

  // Parameters are pairs, so that one name can be given several times.
  function get(address, parameters = [], {signal = null} = {}) {
    if (fromDisk()) return Osler.disk.get(address, parameters);
    return request(addressed(address, parameters), {signal});
  }

  function send(method, address, body) {
    const headers = {'Content-Type': 'application/json'};
    return request(address, {method, headers, body: body === undefined ? undefined : JSON.stringify(body)});
  }

  Object.assign(Osler, {get, send, fromDisk});
})();
