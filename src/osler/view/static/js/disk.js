'use strict';
// An exported site: every answer of the server lies in a script beside the page, which hands it over when it is loaded.
// Pages from disk may not fetch files, but they may load scripts.
(() => {
  const answers = new Map();
  const loading = new Map();
  const COLUMNS = ['specialty', 'language', 'backbone', 'strategy', 'memory', 'variants', 'cause', 'ending'];
  const VERDICTS = {diagnosis: 'diagnosis_verdict', treatment: 'treatment_verdict'};

  // The file that holds an answer.
  function file(address) {
    const consultation = address.match(/^api\/runs\/(k\d+)\/rows\/(\d+)/);
    if (consultation) return `data/${consultation[1]}/${consultation[2]}.js`;
    const run = address.match(/^api\/runs\/(k\d+)\/(all|said|makers)$/);
    return run ? `data/${run[1]}/${run[2]}.js` : 'data/runs.js';
  }

  function load(name) {
    if (!loading.has(name)) {
      loading.set(
        name,
        new Promise((resolve, reject) => {
          const script = document.createElement('script');
          script.src = name;
          script.onload = resolve;
          script.onerror = () => reject(new Error(Osler.t('not_there')));
          document.head.append(script);
        }),
      );
    }
    return loading.get(name);
  }

  async function given(address) {
    if (!answers.has(address)) await load(file(address));
    if (!answers.has(address)) throw new Error(Osler.t('not_there'));
    return answers.get(address);
  }

  function matches(row, wanted, said) {
    const one = (values, value) => !values.length || values.includes(String(value ?? ''));
    const patient = (wanted.get('patient') || '').toLowerCase();
    const search = (wanted.get('search') || '').toLowerCase();
    return (
      COLUMNS.every((name) => one(wanted.getAll(name), row[name])) &&
      Object.entries(VERDICTS).every(([name, field]) => one(wanted.getAll(name), row[field])) &&
      (!patient || `${row.patient} ${row.case}`.toLowerCase().includes(patient)) &&
      (!search || (said[row.cell] || '').toLowerCase().includes(search))
    );
  }

  function snippet(text, search) {
    const at = text.toLowerCase().indexOf(search.toLowerCase());
    const from = Math.max(0, at - 40);
    return `${from ? '…' : ''}${text.slice(from, at + search.length + 60)}…`;
  }

  function order(name, descending) {
    return (one, other) => {
      const [a, b] = [one[name] ?? null, other[name] ?? null];
      if (a === b) return one.cell - other.cell;
      if (a === null || b === null) return a === null ? 1 : -1; // what has no value stands last, either way
      return a < b === descending ? 1 : -1;
    };
  }

  async function rows(key, wanted) {
    const search = wanted.get('search') || '';
    const [all, said] = await Promise.all([given(`api/runs/${key}/all`), search ? given(`api/runs/${key}/said`) : {}]);
    const found = all.rows
      .filter((row) => matches(row, wanted, said))
      .sort(order(wanted.get('sort') || 'case', wanted.get('desc') === '1'));
    const offset = Number(wanted.get('offset') || 0);
    const some = found.slice(offset, offset + Number(wanted.get('limit') || 100));
    return {
      total: found.length,
      offset,
      rows: search ? some.map((row) => ({...row, snippet: snippet(said[row.cell], search)})) : some,
    };
  }

  function get(address, parameters) {
    const run = address.match(/^api\/runs\/(k\d+)\/rows$/);
    return run ? rows(run[1], new URLSearchParams(parameters)) : given(address);
  }

  Osler.given = (address, answer) => answers.set(address, answer);
  Osler.disk = {get};
})();
