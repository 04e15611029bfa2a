'use strict';
// A run in progress: the server is asked what changed, and answers when something did; the view then refreshes itself.
(() => {
  const PAUSE = 2000;
  const wait = (time) => new Promise((resolve) => setTimeout(resolve, time));

  async function watch() {
    let stamp = '';
    for (;;) {
      try {
        const news = await Osler.get('api/changes', stamp ? [['since', stamp]] : []);
        if (stamp && news.stamp !== stamp) await Osler.route()?.changed?.(news.runs);
        stamp = news.stamp;
        await wait(PAUSE / 8); // many changes a second are shown a few times a second
      } catch {
        await wait(PAUSE);
      }
    }
  }

  Osler.live = {watch: () => Osler.fromDisk() || watch()};
})();
