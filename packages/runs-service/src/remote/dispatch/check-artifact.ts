import { readableLine, readableText } from 'base/readable-text';
import { ApiProblem } from '../../api/problem.ts';
import { contentTypeOf, isImage, isWebUrl, ownTypeOf } from '../../artifacts/content-type.ts';
import { readablePath } from '../../artifacts/left-files.ts';
import type { ReadContent } from '../../artifacts/open-contents.ts';
import { BrokenSealError } from '../../execution/memory/sealed-file.ts';
import type { ArtifactFile, StoredArtifact } from '../../store/artifacts.ts';
import type { ReportedArtifact } from '../protocol.ts';

type Checked = Pick<StoredArtifact, 'artifactType' | 'data'>;

const startBytes = 4_096;

/**
 * Checks an artifact that `run-one` reported, as if this service had found it on its own machine. Only a process that
 * has a content's key can report the content.
 * @throws ApiProblem if the content isn't here or belongs to another run, or if a link isn't safe
 */
export async function checkArtifact(
  { artifactType, data }: ReportedArtifact,
  readContent: ReadContent,
): Promise<Checked> {
  switch (artifactType) {
    case 'PLAN':
      return { artifactType, data: { text: readableText(data.text) } };
    case 'EXTERNAL_REFERENCE':
      if (!isWebUrl(data.link.url))
        throw new ApiProblem('invalid_request', "a link can't have a name or a password");
      return {
        artifactType,
        data: { link: { url: data.link.url, title: readableLine(data.link.title) } },
      };
    default: {
      const path = readablePath(data.file.path);
      const start = await readWhole({ ...data.file, path }, readContent);
      // Accept the reported type if the service would give its own file of this name the same type. Otherwise, read
      // the type from the bytes, because agents can leave files with the same names.
      const ownType = ownTypeOf(path, start);
      const contentType = data.file.contentType === ownType ? ownType : contentTypeOf(start);
      const file = { ...data.file, path, contentType };
      return { artifactType: isImage(contentType) ? 'SCREENSHOT' : 'FILE', data: { file } };
    }
  }
}

/**
 * Reads the whole content to check it.
 * @returns the content's first bytes
 * @throws ApiProblem if the content isn't here, was changed, or doesn't have the reported size
 */
async function readWhole(file: ArtifactFile, readContent: ReadContent): Promise<Buffer> {
  const chunks = await readContent(file);
  if (!chunks)
    throw new ApiProblem(
      'invalid_request',
      `the content of ${file.path} isn't on this machine; several services need ARTIFACTS_URL`,
    );
  let start: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of chunks) if (start.length === 0) start = chunk.subarray(0, startBytes);
  } catch (error) {
    if (!(error instanceof BrokenSealError)) throw error;
    throw new ApiProblem('invalid_request', `${file.path} can't be read: ${error.message}`);
  }
  return start;
}
