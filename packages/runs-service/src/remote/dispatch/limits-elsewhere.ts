import { type ArtifactLimits, defaultArtifactLimits } from '../../artifacts/left-files.ts';
import { type ExecutionLimits, executionDefaults } from '../../queue/create-run-queue.ts';
import type { Work } from '../protocol/work.ts';

/** No one can look at the machine of a run elsewhere afterwards, so more of its output is kept. */
const outputBytes = 50 * 1024 * 1024;

export const limitsElsewhere = (
  options: ExecutionLimits & { artifactLimits?: ArtifactLimits | undefined },
): Omit<Work['limits'], 'deadline_seconds'> => ({
  output_bytes: options.outputLimitBytes ?? outputBytes,
  patch_bytes: options.patchLimitBytes ?? executionDefaults.patchLimitBytes,
  artifacts: options.artifactLimits ?? defaultArtifactLimits,
  kill_grace_ms: options.killGraceMs ?? executionDefaults.killGraceMs,
});
