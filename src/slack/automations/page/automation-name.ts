import { boldTitle, plainTitle } from '../../runs/showing/run-label.ts';

/** Max length of a shown name, in characters. */
const nameLimit = 100;

export const boldName = (name: string): string => boldTitle(name, nameLimit);

/** Returns a name for notifications, which show no markup. */
export const plainName = (name: string): string => plainTitle(name, nameLimit);
