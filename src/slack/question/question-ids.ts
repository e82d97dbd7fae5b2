export const questionActions = {
  /** With the place of the option behind it. */
  option: 'question:option:',
  pick: 'question:pick',
  form: 'question:submit',
} as const;

/** A post's id starts with its request's. */
export const requestOf = (postId: string): string => postId.split(' ')[0] ?? '';
