import { dirname, join } from 'node:path';

/** Where the files of runs are. Work folders live as long as their run goes; transcripts stay. */
export function runFiles(dataDir: string) {
  const transcriptDir = (runId: string) => join(dataDir, 'transcripts', runId);
  return {
    mirrorsDir: join(dataDir, 'mirrors'),
    worksDir: join(dataDir, 'work'),
    setUpsDir: join(dataDir, 'set-ups'),
    observersDir: join(dataDir, 'observers'),
    transcriptsDir: join(dataDir, 'transcripts'),
    workDir: (runId: string) => join(dataDir, 'work', runId),
    observerDir: (runId: string) => join(dataDir, 'observers', runId),
    outputFile: (runId: string) => join(transcriptDir(runId), 'output.log'),
    patchFile: (runId: string) => join(transcriptDir(runId), 'changes.patch'),
    /** In place of the patch, when only a part of it could be kept. */
    incompletePatchFile: (runId: string) => join(transcriptDir(runId), 'incomplete.patch'),
  };
}
export type RunFiles = ReturnType<typeof runFiles>;

/** Where programs are looked for unless the operator says otherwise: beside this Node, and where systems put them. */
export const defaultPath = [
  dirname(process.execPath),
  '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin:/opt/homebrew/bin',
].join(':');
