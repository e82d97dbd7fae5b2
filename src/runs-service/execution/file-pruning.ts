import type { Logger } from '../../lib/logger.ts';
import { Loop } from '../../lib/loop.ts';
import type { ServiceConversations } from '../../store/service/service-conversations.ts';
import type { ServiceEnvironment } from '../environments/environments.ts';
import { pruneMemories } from './memory/memory-pruning.ts';
import type { RunFiles } from './run-files.ts';
import { pruneTranscripts } from './transcript-pruning.ts';

const checkMs = 6 * 60 * 60_000;

/** Deletes old files of runs at the start and every six hours. The runs themselves stay. */
export function createFilePruning(options: {
  files: RunFiles;
  transcriptAgeMs: number;
  conversations: ServiceConversations;
  environments: () => readonly ServiceEnvironment[];
  logger: Logger;
}): Loop {
  const { files, transcriptAgeMs, logger } = options;
  return new Loop(async () => {
    try {
      const transcripts = await pruneTranscripts(files.transcriptsDir, transcriptAgeMs);
      const memories = await pruneMemories({ ...options, folder: files.conversationsDir });
      if (transcripts + memories > 0) logger.info({ transcripts, memories }, 'deleted old files');
    } catch (error) {
      logger.error({ err: error }, 'cannot delete old files of runs');
    }
    return checkMs;
  });
}
