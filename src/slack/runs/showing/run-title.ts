import { readableLine } from 'base/readable-text';
import { escapeText } from '../../text/escape-text.ts';

/** A run's title on one line, without asterisks, which would end bold text. */
export const titleLine = (title: string): string =>
  readableLine(title.replaceAll('*', ' ')) || 'Untitled run';

export const boldTitle = (title: string, limit = 150): string =>
  `*${escapeText(titleLine(title), limit)}*`;
