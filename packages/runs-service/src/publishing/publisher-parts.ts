import type { Logger } from 'base/logger';
import type { ServiceEnvironment } from '../environments/environments.ts';
import type { RunFiles } from '../execution/files/run-files.ts';
import type { ServiceRuns } from '../store/runs/service-runs.ts';
import type { ServicePublications } from '../store/service-publications.ts';
import type { CodeHosts } from './hosts/create-code-host.ts';

export type PublisherParts = {
  runs: Pick<ServiceRuns, 'get'>;
  publications: ServicePublications;
  environments: () => readonly ServiceEnvironment[];
  files: RunFiles;
  /** Objects of a repository's mirror, which need no download. */
  objectsDir: (url: string) => string;
  /** What the agent said at the end, for the text of a pull request. */
  answerOf: (runId: string) => Promise<string>;
  codeHosts: CodeHosts;
  /** Whether other services share the store, so that another one may have a run's files. */
  isShared: boolean;
  path: string;
  logger: Logger;
};
