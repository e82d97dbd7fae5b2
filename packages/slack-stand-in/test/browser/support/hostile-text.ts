/** What must stay text wherever it is shown. Running it would set `window.hacked` or break the page's policy. */
export const hostile = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>"'&lt;b&gt;`;

/** As Slack's clients send it: the three characters escaped. */
export const hostileEscaped = hostile
  .replaceAll('&', '&amp;')
  .replaceAll('<', '&lt;')
  .replaceAll('>', '&gt;');
