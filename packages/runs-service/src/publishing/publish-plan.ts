import type { PublishRunRequest } from 'runs-client/publication';
import {
  findEnvironment,
  type Repository,
  repositoryName,
  type ServiceEnvironment,
} from '../environments/environments.ts';
import type { PublishConfig, PublishMode } from '../environments/publish-config.ts';
import { PublishProblem } from './publish-problem.ts';

type HostKind = NonNullable<PublishConfig['host']>;

/** Publishing settings of an environment, with defaults filled in. */
export type PublishPlan = {
  config: PublishConfig;
  repository: Repository;
  mode: PublishMode;
  kind: HostKind;
  /** Name of the project on the server: `owner/repo`, or the whole path of a GitLab project. */
  project: string;
  apiUrl: string;
};

const hasCredentials = ({ token_file: token, app }: PublishConfig, url: string) =>
  token !== undefined || app !== undefined || /^https?:\/\/[^/]*@/.test(url);

/** Returns the plan, or undefined if the environment's runs can't be published. */
export function planOf(environment: ServiceEnvironment): PublishPlan | undefined {
  const { publish: config, repositories } = environment;
  const [repository] = repositories;
  if (!config || !repository || repositories.length > 1) return undefined;
  const mode = config.mode ?? (hasCredentials(config, repository.url) ? 'ask' : 'none');
  if (mode === 'none') return undefined;
  const server = serverOf(repository.url);
  const kind = config.host ?? kindOf(server?.host ?? '');
  const project = kind === 'gitlab' ? (server?.path ?? '') : repositoryName(repository);
  const apiUrl = (config.api_url ?? usualApiUrl(kind, server?.host ?? '')).replace(/\/+$/, '');
  return { config, repository, mode, kind, project, apiUrl };
}

/** Returns the plan for a run, or undefined if its environment doesn't exist anymore or doesn't publish. */
export function planOfRun(
  environments: () => readonly ServiceEnvironment[],
  run: { environment_id: string },
): PublishPlan | undefined {
  const environment = findEnvironment(environments(), run.environment_id);
  return environment && planOf(environment);
}

/** Returns the host and path of `https://host/path.git`, `git@host:path.git` or `ssh://git@host/path.git`. */
function serverOf(url: string): { host: string; path: string } | undefined {
  const found =
    /^[a-z][a-z0-9+.-]*:\/\/(?:[^/]*@)?([^/]+)\/(.+)$/i.exec(url) ??
    /^[^/@]+@([^/:]+):(.+)$/.exec(url);
  if (!found?.[1] || !found[2]) return undefined;
  return { host: found[1].toLowerCase(), path: found[2].replace(/(\.git)?\/*$/, '') };
}

function kindOf(host: string): HostKind {
  if (host === 'github.com') return 'github';
  return host === 'gitlab.com' ? 'gitlab' : 'git';
}

function usualApiUrl(kind: HostKind, host: string): string {
  if (kind === 'gitlab') return `https://${host}/api/v4`;
  return host === 'github.com' ? 'https://api.github.com' : `https://${host}/api/v3`;
}

/** Returns true if runs are published without a request. */
export const isAutomatic = ({ mode }: PublishPlan) => mode === 'pull_request' || mode === 'branch';

/**
 * Returns the mode for a publishing request. Without a mode in the request, it depends on the environment.
 * @throws PublishProblem if a pull request is wanted, but the server has none
 */
export function wantedMode(
  { kind, mode }: PublishPlan,
  { mode: wanted }: PublishRunRequest,
): 'pull_request' | 'branch' {
  const usual = kind === 'git' || mode === 'branch' ? 'branch' : 'pull_request';
  if (wanted === 'pull_request' && kind === 'git')
    throw new PublishProblem(
      'This repository\'s server is plain git, which has no pull requests. Use the mode "branch", or set "host" under "publish".',
    );
  return wanted ?? usual;
}
