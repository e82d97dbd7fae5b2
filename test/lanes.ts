/**
 * The lanes of the tests, each a project of vitest. The name of a file says which lanes it runs in: `home.test.ts` runs in
 * the fast lane, `home.browser.test.ts` in the lane `browser`.
 */

/** Runs as `npm test`. Needs nothing but Node and git. */
export const fastLane = 'fast';

export type Program = {
  command: string;
  /** Environment variable with another path of the program. */
  variable?: string;
  /** Arguments of a call that succeeds if the program works. */
  probe: readonly string[];
  install: string;
};

export type SlowLane = {
  name: string;
  needs: readonly Program[];
  /** Fast files with this suffix run here again, on the database or over the transport that `provide` names. */
  alsoFast?: string;
  provide?: { database?: 'PostgreSQL'; delivery?: 'http' };
  /** True where a test kills, measures or fills the machine: its files run one at a time, after all others. */
  isAlone?: true;
  /** True for a lane that takes hours. It runs only if it's named. */
  isLong?: true;
};

const bubblewrap: Program = {
  command: 'bwrap',
  probe: '--unshare-user --unshare-pid --unshare-net --ro-bind / / -- /bin/true'.split(' '),
  install: 'apt-get install bubblewrap',
};
const kubectl: Program = {
  command: 'kubectl',
  variable: 'KUBECTL',
  probe: ['version', '--client'],
  install: 'apt-get install kubernetes-client',
};
const helm: Program = {
  command: 'helm',
  variable: 'HELM',
  probe: ['version'],
  install: 'see https://helm.sh/docs/intro/install',
};
const versionOf = (command: string, debianPackage = command): Program => ({
  command,
  probe: ['--version'],
  install: `apt-get install ${debianPackage}`,
});
const chromium: Program = { ...versionOf('chromium'), variable: 'CHROMIUM' };

/** Run as `npm run test:slow`. PostgreSQL comes from npm, unless Debian's is installed. */
export const slowLanes: readonly SlowLane[] = [
  { name: 'postgres', needs: [], alsoFast: 'databases', provide: { database: 'PostgreSQL' } },
  { name: 'http', needs: [], alsoFast: 'transports', provide: { delivery: 'http' } },
  { name: 'browser', needs: [chromium] },
  { name: 'prometheus', needs: [versionOf('prometheus')] },
  { name: 'helm', needs: [kubectl, helm] },
  { name: 'kubernetes', needs: [bubblewrap, kubectl] },
  { name: 'sandbox', needs: [bubblewrap, versionOf('unshare', 'util-linux')], isAlone: true },
  { name: 'container', needs: [versionOf('podman')], isAlone: true },
  { name: 'process', needs: [] },
  { name: 'kill', needs: [], isAlone: true },
  { name: 'trial', needs: [], isAlone: true },
  { name: 'drill', needs: [], isAlone: true, isLong: true },
];
