/** What is kept of the files that an agent leaves. */
export type ArtifactLimits = { files: number; fileBytes: number; totalBytes: number };

const mebibyte = 1024 * 1024;

export const defaultArtifactLimits: ArtifactLimits = {
  files: 50,
  fileBytes: 100 * mebibyte,
  totalBytes: 250 * mebibyte,
};
