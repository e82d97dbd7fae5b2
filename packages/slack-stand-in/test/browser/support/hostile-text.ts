/** Markup that must stay text everywhere. If it ran, it would set `window.hacked` or violate the page's policy. */
export const hostile = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>"'&lt;b&gt;`;

/** The same markup with Slack's three characters escaped. */
export const hostileEscaped = hostile
  .replaceAll('&', '&amp;')
  .replaceAll('<', '&lt;')
  .replaceAll('>', '&gt;');
