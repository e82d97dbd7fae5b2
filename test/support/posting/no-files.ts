import { createRequestFiles } from '../../../src/following/steps/attach-files.ts';
import { createAttribution } from '../../../src/following/steps/attribute-run.ts';
import type { CapCheck } from '../../../src/following/steps/check-caps.ts';

/** Attributes every run to the app. */
export const attribution = createAttribution();

/** Finds no cap that is spent. */
export const caps: CapCheck = {
  isCounted: async () => false,
  findSpent: async () => undefined,
};

export const files = createRequestFiles(
  async () => ({ attachments: [], notes: [], canPass: false }),
  async () => undefined,
);
