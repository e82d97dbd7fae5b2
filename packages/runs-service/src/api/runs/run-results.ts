import { stat } from 'node:fs/promises';
import { isTerminalState, type Run } from 'runs-client/contract';
import { presentInRun } from '../../artifacts/present-artifact.ts';
import type { ServiceEnvironment } from '../../environments/environments.ts';
import type { RunFiles } from '../../execution/files/run-files.ts';
import { presentPublication, pullRequestArtifacts } from '../../publishing/present-publication.ts';
import { planOfRun } from '../../publishing/publish-plan.ts';
import type { ServiceRun } from '../../store/runs/service-runs.ts';
import type { ServiceArtifacts } from '../../store/service-artifacts.ts';
import type { ServicePublications } from '../../store/service-publications.ts';

/** What a run produced, as the API shows it. */
export type RunResults = Pick<Run, 'artifacts' | 'publication'>;

export type ReadResults = (runs: readonly ServiceRun[]) => Promise<(run: ServiceRun) => RunResults>;

type Parts = {
  publications: Pick<ServicePublications, 'ofRuns'>;
  artifacts: Pick<ServiceArtifacts, 'ofRuns'>;
  environments: () => readonly ServiceEnvironment[];
  files: Pick<RunFiles, 'patchFile'>;
};

/** Reads the results of a whole page of runs at once. */
export function createReadResults(parts: Parts): ReadResults {
  const { publications, artifacts, environments, files } = parts;

  /** Whether someone may publish the run's changes. */
  async function isOffered(run: ServiceRun): Promise<boolean> {
    if (!isTerminalState(run.state)) return false;
    if (!planOfRun(environments, run)) return false;
    const found = await stat(files.patchFile(run.id)).catch(() => undefined);
    return found !== undefined && found.size > 0;
  }

  return async (runs) => {
    const ids = runs.map(({ id }) => id);
    const [published, left] = await Promise.all([publications.ofRuns(ids), artifacts.ofRuns(ids)]);
    const others = runs.filter(({ id }) => !published.has(id));
    const offered = new Set<string>();
    for (const run of others) if (await isOffered(run)) offered.add(run.id);
    return (run) => {
      const publication = published.get(run.id);
      const files = (left.get(run.id) ?? []).map(presentInRun);
      if (!publication)
        return {
          artifacts: files,
          ...(offered.has(run.id) && { publication: { state: 'offered' } }),
        };
      return {
        artifacts: [...pullRequestArtifacts(publication), ...files],
        publication: presentPublication(publication, planOfRun(environments, run)),
      };
    };
  };
}
