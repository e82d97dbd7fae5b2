import { stat } from 'node:fs/promises';
import { isTerminalState, type Run } from 'runs-client/contract';
import { presentInRun } from '../../artifacts/present-artifact.ts';
import type { ServiceEnvironment } from '../../environments/environments.ts';
import type { RunFiles } from '../../execution/files/run-files.ts';
import { presentPublication, pullRequestArtifacts } from '../../publishing/present-publication.ts';
import { planOfRun } from '../../publishing/publish-plan.ts';
import type { ArtifactStore } from '../../store/artifacts.ts';
import type { Publications } from '../../store/publications.ts';
import type { StoredRun } from '../../store/runs.ts';

/** What a run produced, as the API shows it. */
export type RunResults = Pick<Run, 'artifacts' | 'publication'>;

export type ReadResults = (runs: readonly StoredRun[]) => Promise<(run: StoredRun) => RunResults>;

type Parts = {
  publications: Pick<Publications, 'ofRuns'>;
  artifacts: Pick<ArtifactStore, 'ofRuns'>;
  environments: () => readonly ServiceEnvironment[];
  files: Pick<RunFiles, 'patchFile'>;
};

/** Reads the results of a whole page of runs at once. */
export function createReadResults(parts: Parts): ReadResults {
  const { publications, artifacts, environments, files } = parts;

  /** Whether someone may publish the run's changes. */
  async function isOffered(run: StoredRun): Promise<boolean> {
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
