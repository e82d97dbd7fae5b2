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

/** Whether agents see a file of the machine. */
export function isShown(
  path: string,
  { read_only: readOnly = [], writable = [] }: Mounts,
): boolean {
  const all = [...systemPaths, ...readOnly, ...writable];
  return all.some((each) => path === each || path.startsWith(`${each}/`));
}
