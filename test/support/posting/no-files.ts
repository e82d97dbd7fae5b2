import { createRequestFiles } from '../../../src/following/steps/attach-files.ts';
import { createAttribution } from '../../../src/following/steps/attribute-run.ts';

/** Attributes every run to the app. */
export const attribution = createAttribution();

export const files = createRequestFiles(async () => ({
  attachments: [],
  notes: [],
  canPass: false,
}));
