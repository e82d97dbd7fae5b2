import { stat } from 'node:fs/promises';
import type { Run } from 'runs-client/contract';
import type { ServicePublications } from '../../store/service/service-publications.ts';
import type { ServiceRun } from '../../store/service/service-runs.ts';
import { findEnvironment, type ServiceEnvironment } from '../environments/environments.ts';
import type { RunFiles } from '../execution/run-files.ts';
import { presentPublication, pullRequestArtifacts } from '../publishing/present-publication.ts';
import { planOf } from '../publishing/publish-plan.ts';
import { hasEnded } from '../queue/run-state.ts';

/** What a run produced, as the API shows it. */
export type RunResults = Pick<Run, 'artifacts' | 'publication'>;

export type ReadResults = (runs: readonly ServiceRun[]) => Promise<(run: ServiceRun) => RunResults>;

type Parts = {
  publications: Pick<ServicePublications, 'ofRuns'>;
  environments: () => readonly ServiceEnvironment[];
  files: Pick<RunFiles, 'patchFile'>;
};

/** Reads the results of a whole page of runs at once. */
export function createReadResults({ publications, environments, files }: Parts): ReadResults {
  /** Whether someone may publish the run's changes. */
  async function isOffered(run: ServiceRun): Promise<boolean> {
    if (!hasEnded(run.state)) return false;
    const environment = findEnvironment(environments(), run.environment_id);
    if (!environment || !planOf(environment)) return false;
    const found = await stat(files.patchFile(run.id)).catch(() => undefined);
    return found !== undefined && found.size > 0;
  }

  return async (runs) => {
    const published = await publications.ofRuns(runs.map(({ id }) => id));
    const others = runs.filter(({ id }) => !published.has(id));
    const offered = new Set<string>();
    for (const run of others) if (await isOffered(run)) offered.add(run.id);
    return ({ id }) => {
      const publication = published.get(id);
      if (!publication)
        return { artifacts: [], ...(offered.has(id) && { publication: { state: 'offered' } }) };
      return {
        artifacts: pullRequestArtifacts(publication),
        publication: presentPublication(publication),
      };
    };
  };
}
