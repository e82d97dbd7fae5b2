/** Replies of the demo's model by a word in the request. The first that fits is used. */
const replies: [word: RegExp, ...texts: string[]][] = [
  [
    /\bthink\b/i,
    'First, look at what is known. The notes say when each bed was watered, but nobody has written down the rain.',
    'Compare both ends. A sensor that stays silent looks exactly like a dry week, so silence has to count as a fault.',
    'Ask what would prove it wrong. One bed with a second sensor would show within three days which of them is right.',
    'Keep the change small. A note for each missing value costs one line, and a report can count these notes later.',
    'In short: write down the gaps, trust two sensors more than one, and water the beans either way.',
  ],
  [/\bcount\b/i, 'Read every text file, and count what was asked for.'],
  [/\bsearch|find\b/i, 'Look for the words in every line, in any case.'],
  [/\badd|replace|delete\b/i, 'Change only the file that was named, and leave the rest alone.'],
  [/./s, 'One step after the other. This one comes next.'],
];

/** Returns the reply to the newest message. `turn` selects one of several replies. */
export function scriptedReply(message: string, turn: number): string {
  const [, ...texts] = replies.find(([word]) => word.test(message)) ?? [/./, 'Continue.'];
  return texts[turn % texts.length] ?? 'Continue.';
}
