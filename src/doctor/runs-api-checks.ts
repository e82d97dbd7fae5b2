import { createRunsClient } from 'runs-client';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { RemoteRuns } from '../config/bot-config.ts';
import type { FaultName, Finding } from './faults.ts';

const callTimeoutMs = 10_000;

/** Reads the list of environments, as the form does. */
export async function checkRunsApi({ baseUrl, apiKey, allowHttp }: RemoteRuns): Promise<Finding[]> {
  const client = createRunsClient({
    ...{ baseUrl, apiKey, allowHttp },
    ...{ timeoutMs: callTimeoutMs, maxRetries: 0 },
  });
  try {
    const { environments } = await client.environments.list();
    if (environments.length === 0)
      return [{ fault: 'no-environments', detail: `${baseUrl} lists none.` }];
    return environments.flatMap(({ uid, problem }) =>
      typeof problem === 'string'
        ? [{ fault: 'environment-problem' as const, detail: `${uid}: ${problem}` }]
        : [],
    );
  } catch (error) {
    if (!(error instanceof RunsApiError)) throw error;
    return [{ fault: faultOf(error), detail: error.message }];
  } finally {
    await client.close();
  }
}

function faultOf({ code }: RunsApiError): FaultName {
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
      return 'runs-api-away';
  }
}
