/** Why the server ends a feed. Codes from 4000 are free to use: https://www.rfc-editor.org/rfc/rfc6455#section-7.4.2 */
export const pageClosings = {
  /** The page is older than the server and reloads. */
  wrongToken: 4401,
  /** The person in the address doesn't exist; the page goes to the first person. */
  unknownPerson: 4404,
} as const;
