/**
 * The lanes of the tests, each a project of vitest. The name of a file says which lanes it runs in: `home.test.ts` runs in
 * the fast lane, `home.browser.test.ts` in the lane `browser`.
 */

/** Runs as `npm test`. Needs nothing but Node and git. */
export const fastLane = 'fast';

type Program = { command: string; debianPackage: string };

export type SlowLane = {
  name: string;
  needs?: readonly Program[];
  /** Files of the fast lane with this suffix run here too, in the other way that `provide` chooses. */
  alsoFast?: string;
  provide?: { database?: 'PostgreSQL'; delivery?: 'http' };
  /** True where a test kills, measures or fills the machine: its files run one at a time, after all others. */
  isAlone?: true;
};

const bubblewrap = { command: 'bwrap', debianPackage: 'bubblewrap' };
const kubectl = { command: 'kubectl', debianPackage: 'kubernetes-client' };
const unshare = { command: 'unshare', debianPackage: 'util-linux' };

/** Run as `npm run test:slow`. */
export const slowLanes: readonly SlowLane[] = [
  { name: 'postgres', alsoFast: 'databases', provide: { database: 'PostgreSQL' } },
  { name: 'http', alsoFast: 'transports', provide: { delivery: 'http' } },
  { name: 'browser', needs: [{ command: 'chromium', debianPackage: 'chromium' }] },
  { name: 'prometheus', needs: [{ command: 'prometheus', debianPackage: 'prometheus' }] },
  {
    name: 'helm',
    needs: [kubectl, { command: 'helm', debianPackage: 'helm, from https://helm.sh' }],
  },
  { name: 'kubernetes', needs: [bubblewrap, kubectl], isAlone: true },
  { name: 'sandbox', needs: [bubblewrap, unshare], isAlone: true },
  { name: 'container', needs: [{ command: 'podman', debianPackage: 'podman' }], isAlone: true },
  { name: 'process', isAlone: true },
  { name: 'trial', isAlone: true },
];
