import { dirname, join } from 'node:path';

/**
 * Returns functions that give the paths of a run's files. A work folder is deleted when its run ends. Transcripts stay.
 */
export function runFiles(dataDir: string) {
  const transcriptDir = (runId: string) => join(dataDir, 'transcripts', runId);
  return {
    mirrorsDir: join(dataDir, 'mirrors'),
    sparesDir: join(dataDir, 'spares'),
    worksDir: join(dataDir, 'work'),
    setupsDir: join(dataDir, 'setups'),
    conversationsDir: join(dataDir, 'conversations'),
    transcriptsDir: join(dataDir, 'transcripts'),
    artifactsDir: join(dataDir, 'artifacts'),
    publishingDir: join(dataDir, 'publishing'),
    transcriptDir,
    /** Folder for files that a remote run sends, until they're complete. */
    incomingDir: (runId: string) => join(transcriptDir(runId), 'incoming'),
    outputFile: (runId: string) => join(transcriptDir(runId), 'output.log'),
    patchFile: (runId: string) => join(transcriptDir(runId), 'changes.patch'),
    /** File with the commits that the patch applies to: `[{ folder, base }]`. */
    basesFile: (runId: string) => join(transcriptDir(runId), 'bases.json'),
    /** Path of the patch if only a part of it could be saved. */
    incompletePatchFile: (runId: string) => join(transcriptDir(runId), 'incomplete.patch'),
  };
}
export type RunFiles = ReturnType<typeof runFiles>;

/** Default PATH: the folder of the Node that runs this process, then the usual folders of Linux and macOS. */
export const defaultPath = [
  dirname(process.execPath),
  '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin:/opt/homebrew/bin',
].join(':');
