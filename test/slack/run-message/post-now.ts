import type { OpenPost } from '../../../src/outbox/post-kind.ts';

/** As the outbox does it, without recording that it begins. */
export const postNow = async ({ prepare, post }: OpenPost) => (await prepare?.()) ?? post();
