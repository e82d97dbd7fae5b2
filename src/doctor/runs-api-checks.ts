import { createRunsClient, type Promised, type RunsClient } from 'runs-client';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { RemoteRuns } from '../config/bot-config.ts';
import type { Finding, ProblemName } from './problems.ts';

const callTimeoutMs = 10_000;

/** Checks the runs API with a separate client. */
export async function checkRunsApi({ baseUrl, apiKey, allowHttp }: RemoteRuns): Promise<Finding[]> {
  const client = createRunsClient({ baseUrl, apiKey, allowHttp });
  try {
    return await checkEnvironmentList(client.environments);
  } finally {
    await client.close();
  }
}

/** Checks the list of environments, which the start form also reads. */
export async function checkEnvironmentList({
  list,
}: Pick<Promised<RunsClient['environments']>, 'list'>): Promise<Finding[]> {
  try {
    const { environments } = await list({ timeoutMs: callTimeoutMs, maxRetries: 0 });
    if (environments.length === 0)
      return [{ problem: 'no-environments', detail: 'The list of environments is empty.' }];
    return environments.flatMap(({ uid, problem }): Finding[] =>
      typeof problem === 'string'
        ? [{ problem: 'environment-problem', detail: `${uid}: ${problem}`, named: uid }]
        : [],
    );
  } catch (error) {
    if (!(error instanceof RunsApiError)) throw error;
    return [{ problem: problemOf(error), detail: error.message }];
  }
}

export type ListedRuns = { runs: Pick<RunsClient['runs'], 'list'> };

/** Lists one run to check a new connection's key, as the form for a new connection does. */
export async function checkAddedConnection(
  name: string,
  connected: Promise<ListedRuns>,
): Promise<Finding[]> {
  try {
    const { runs } = await connected;
    await runs.list({ limit: 1 }, { timeoutMs: callTimeoutMs, maxRetries: 0 });
    return [];
  } catch (error) {
    if (!(error instanceof RunsApiError)) throw error;
    // Report no problem, because the service accepts the key, even if the key can't list runs.
    if (error.code === 'forbidden') return [];
    return [{ problem: 'connection-fails', detail: `${name}: ${error.message}`, named: name }];
  }
}

function problemOf({ code }: RunsApiError): ProblemName {
  switch (code) {
    case 'unauthorized':
    case 'forbidden':
      return 'runs-api-key-rejected';
    case 'not_found':
    case 'bad_response':
    case 'client_error':
    case 'bad_request':
      return 'runs-api-wrong-url';
    default:
      return 'runs-api-unreachable';
  }
}
