/** An internet shortcut: an INI file with a line `URL=…`. Browsers make them, and agents easily can. */
const isShortcut = /\.url$/i;
const maxBytes = 4_096;
/** Characters; each is at most two of the 200 units that a report may have. */
const maxTitle = 100;

/** Where a shortcut leads; undefined for other files, and for addresses that aren't of the web or have a password. */
export function linkIn(path: string, start: Buffer): { url: string; title: string } | undefined {
  if (!isShortcut.test(path) || start.length >= maxBytes) return undefined;
  const address = /^URL=(\S+)\s*$/im.exec(start.toString('utf8'))?.[1] ?? '';
  if (!isWebUrl(address)) return undefined;
  const { href } = new URL(address);
  const name = path.split('/').at(-1) ?? '';
  const title = name.replace(isShortcut, '') || href;
  return { url: href, title: [...title].slice(0, maxTitle).join('') };
}

export function isWebUrl(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
