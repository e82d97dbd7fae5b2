import type { Artifact } from 'runs-client/artifact';
import type { Run } from 'runs-client/contract';
import type { ServiceEnvironment } from '../../src/environments/environments.ts';
import {
  type StartedService,
  shellEnvironment,
  startRunsService,
} from '../support/runs-service.ts';

export async function runOf(
  script: string,
  more: Partial<ServiceEnvironment> = {},
  options: Partial<Parameters<typeof startRunsService>[0]> = {},
) {
  const environments = [shellEnvironment(script, more)];
  const service = await startRunsService({ environments, ...options });
  const run = await service.until(await service.begin({ prompt: 'x' }), 'SUCCEEDED', 'FAILED');
  return { service, run };
}

type Listed = {
  artifact_uid: string;
  filename?: string;
  filepath?: string;
  description?: string;
  mime_type?: string;
  size_bytes?: number;
};
export const listed = (run: Run, type: string): Listed[] =>
  (run.artifacts ?? [])
    .filter(({ artifact_type }) => artifact_type === type)
    .map(({ data }) => data as Listed);
export const names = (run: Run) => listed(run, 'FILE').map(({ filename }) => filename);

export async function artifact({ request }: StartedService, uid = ''): Promise<Artifact> {
  return (await (await request(`/agent/artifacts/${uid}`)).json()) as Artifact;
}

export async function contentOf(service: StartedService, run: Run, name: string): Promise<Buffer> {
  const all = [...listed(run, 'FILE'), ...listed(run, 'SCREENSHOT')];
  const found = all.find(({ filename, description }) => (filename ?? description) === name);
  const { data } = await artifact(service, found?.artifact_uid);
  const answer = await fetch(data.download_url ?? '');
  return Buffer.from(await answer.arrayBuffer());
}
