/**
 * Splits the base URL into origin and path. Throws if the URL is invalid, contains a secret, or would send the key
 * unencrypted.
 */
export function readBaseUrl(baseUrl: string, allowHttp: boolean): { origin: string; path: string } {
  if (!URL.canParse(baseUrl)) throw new TypeError('baseUrl of the runs client is not a URL');
  const { origin, protocol, pathname, username, password, search, hash } = new URL(baseUrl);
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new TypeError(`baseUrl of the runs client must be https: or http:, not ${protocol}`);
  }
  if (username || password || search || hash) {
    throw new TypeError('baseUrl of the runs client must not have a user, password, "?" or "#"');
  }
  if (!allowHttp && sendsKeyInClear(baseUrl)) {
    throw new TypeError(
      'baseUrl of the runs client must be https:, or the API key is sent unencrypted. For a network that you trust, set allowHttp (RUNS_API_ALLOW_HTTP=true)',
    );
  }
  return { origin, path: pathname.replace(/\/+$/, '') };
}

/** Returns true if calls to this URL leave the machine unencrypted. */
export function sendsKeyInClear(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !/^(127\.\d+\.\d+\.\d+|\[::1\]|(.+\.)?localhost)$/.test(hostname);
}
