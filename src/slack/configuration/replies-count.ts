import { z } from 'zod';
import { setting } from './setting.ts';

/** A channel's setting of whether replies in threads of runs are for the run even without a mention. */
export const repliesCount = setting('runs.replies', z.boolean().catch(false));
