/** Splits the base URL, and refuses one that can't work or contains a secret. */
export function readBaseUrl(baseUrl: string): { origin: string; path: string } {
  if (!URL.canParse(baseUrl)) throw new TypeError('baseUrl of the runs client is not a URL');
  const { origin, protocol, pathname, username, password, search, hash } = new URL(baseUrl);
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new TypeError(`baseUrl of the runs client must be https: or http:, not ${protocol}`);
  }
  if (username || password || search || hash) {
    throw new TypeError('baseUrl of the runs client must not have a user, password, "?" or "#"');
  }
  return { origin, path: pathname.replace(/\/+$/, '') };
}
