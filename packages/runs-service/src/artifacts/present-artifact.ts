import type { Artifact } from 'runs-client/artifact';
import type { Run } from 'runs-client/contract';
import type { StoredArtifact } from '../store/artifacts.ts';

type RunArtifact = NonNullable<Run['artifacts']>[number];

/** Returns the last part of a path. */
export const fileName = (path: string): string => path.split('/').at(-1) || 'file';

/** Converts an artifact to the format in its run's `artifacts`. */
export function presentInRun({ uid, artifactType, data, createdAt }: StoredArtifact): RunArtifact {
  return {
    artifact_type: artifactType,
    created_at: new Date(createdAt).toISOString(),
    data: dataInRun(uid, artifactType, data),
  };
}

function dataInRun(
  uid: string,
  type: string,
  { file, link }: StoredArtifact['data'],
): RunArtifact['data'] {
  if (link) return { reference_type: 'LINK', ...link };
  if (!file) return { artifact_uid: uid, document_uid: uid, title: 'Plan' };
  const { path, bytes, contentType } = file;
  const name = fileName(path);
  if (type === 'SCREENSHOT')
    return { artifact_uid: uid, mime_type: contentType, description: name };
  return {
    artifact_uid: uid,
    filename: name,
    filepath: path,
    mime_type: contentType,
    size_bytes: bytes,
  };
}

type Download = { url: string; browserUrl: string; expiresAt: number };

/** Converts an artifact to the response of `GET /agent/artifacts/{uid}`. Only files have a download. */
export function presentArtifact(
  { uid, artifactType, data, createdAt }: StoredArtifact,
  download: Download | undefined,
): Artifact {
  return {
    artifact_type: artifactType,
    artifact_uid: uid,
    created_at: new Date(createdAt).toISOString(),
    data: dataAlone(uid, data, download),
  };
}

function dataAlone(
  uid: string,
  { file, text, link }: StoredArtifact['data'],
  download: Download | undefined,
): Artifact['data'] {
  if (link) return { reference_type: 'LINK', ...link };
  if (!file || !download)
    return {
      content: text ?? '',
      content_type: 'text/markdown',
      document_uid: uid,
      notebook_uid: uid,
      title: 'Plan',
    };
  return {
    content_type: file.contentType,
    download_url: download.url,
    browser_url: download.browserUrl,
    expires_at: new Date(download.expiresAt).toISOString(),
    description: fileName(file.path),
    filename: fileName(file.path),
    filepath: file.path,
    size_bytes: file.bytes,
  };
}
