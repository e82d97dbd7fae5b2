/** Why the server ends a feed. Codes above 4000 are ours: https://www.rfc-editor.org/rfc/rfc6455#section-7.4.2 */
export const pageClosings = {
  /** The page is older than the server: it is loaded again. */
  wrongToken: 4401,
  /** The address names somebody who is not here: the page goes to its first person. */
  unknownPerson: 4404,
} as const;
