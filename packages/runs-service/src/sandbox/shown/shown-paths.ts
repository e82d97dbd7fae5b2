/** Folders of the operator, see `read_only` and `writable` of an environment. */
export type Mounts = { read_only?: string[] | undefined; writable?: string[] | undefined };

/** Programs and what they need. Without /opt and /usr/src, where services keep their settings and data. */
export const systemPaths = [
  ...['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libexec', 'local', 'share', 'include'].map(
    (name) => `/usr/${name}`,
  ),
  ...['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store'],
  ...[
    ...['alternatives', 'ca-certificates', 'fonts', 'group', 'hosts', 'ld.so.cache', 'ld.so.conf'],
    ...['ld.so.conf.d', 'localtime', 'mime.types', 'nsswitch.conf', 'os-release', 'passwd'],
    ...['pki/ca-trust', 'pki/tls/certs', 'protocols', 'resolv.conf', 'services', 'timezone'],
    ...['ssl/cert.pem', 'ssl/certs', 'ssl/openssl.cnf'],
  ].map((name) => `/etc/${name}`),
];

/** The innermost folder around a path that agents see as it is on the machine; undefined if they don't see the path. */
export function shownRoot(
  path: string,
  { read_only: readOnly = [], writable = [] }: Mounts,
): string | undefined {
  const all = [...systemPaths, ...readOnly, ...writable];
  const around = all.filter((each) => path === each || path.startsWith(`${each}/`));
  return around.sort((one, other) => other.length - one.length)[0];
}

/** Whether agents see a file of the machine. */
export const isShown = (path: string, mounts: Mounts): boolean =>
  shownRoot(path, mounts) !== undefined;
