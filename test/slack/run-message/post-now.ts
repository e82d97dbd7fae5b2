import type { OpenPost } from '../../../src/outbox/post-kind.ts';

/** Prepares and posts like the outbox, without recording the start of the post. */
export const postNow = async ({ prepare, post }: OpenPost) => (await prepare?.()) ?? post();
