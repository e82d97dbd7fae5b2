/** In code points, as Slack counts. https://docs.slack.dev/reference/block-kit/blocks */
export const limits = {
  text: 3_000,
  header: 150,
  buttonText: 75,
  url: 3_000,
  /** Of a link in a line. */
  linkedUrl: 500,
  inputLabel: 2_000,
  inputValue: 3_000,
  /** `chat.update` refuses more. */
  messageText: 4_000,
} as const;
