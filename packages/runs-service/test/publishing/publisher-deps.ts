import { createLogger } from 'base/logger';
import { runFiles } from '../../src/execution/files/run-files.ts';
import type { PublisherDeps } from '../../src/publishing/branch-work.ts';
import type { CodeHost } from '../../src/publishing/hosts/code-host.ts';
import { createPublications } from '../../src/store/publications.ts';
import { createRuns } from '../../src/store/runs.ts';
import type { Db } from '../../src/store/schema.ts';
import { temporaryFolder } from '../support/runs-service.ts';

const unexpected = async (): Promise<never> => {
  throw new Error('The test expects no such call of the host.');
};

/** Returns the publisher's dependencies for this database. The host only has the given calls. */
export function publisherDeps(db: Db, host: Partial<CodeHost> = {}): PublisherDeps {
  return {
    runs: createRuns(db),
    publications: createPublications(db),
    environments: () => [],
    answerOf: async () => '',
    codeHosts: () => ({
      login: unexpected,
      find: unexpected,
      open: unexpected,
      decorate: unexpected,
      poll: unexpected,
      markReady: unexpected,
      merge: unexpected,
      ...host,
    }),
    machine: {
      files: runFiles(temporaryFolder()),
      path: '',
      objectsDir: () => '',
      isShared: false,
    },
    logger: createLogger('silent'),
  };
}
