import { describe, expect, it } from 'vitest';
import { readTypedText, unnamedPeople } from '../../../src/slack/text/typed-text.ts';

describe("a typed text, read from Slack's encoding", () => {
  it.each([
    ['a &amp; b &lt;c&gt;', 'a & b <c>'],
    ['&amp;lt; stays', '&lt; stays'],
    ['&lt;@U1&gt; is no mention', '<@U1> is no mention'],
    ['ask <@U04ADA|ada> now', 'ask @ada now'],
    ['ask <@U04ADA> now', 'ask @Ada Lovelace now'],
    ['ask <@U04NOBODY>', 'ask @U04NOBODY'],
    ['in <#C1|general>', 'in #general'],
    ['in <#C1|>', 'in #C1'],
    ['<!here> <!channel|@channel>', '@here @channel'],
    ['<!subteam^S1|@oncall> <!subteam^S2>', '@oncall @S2'],
    ['<!date^1700000000^{date}|yesterday>', 'yesterday'],
    ['see <https://example.com/a?b=1&amp;c=2>', 'see https://example.com/a?b=1&c=2'],
    ['see <http://example.com|example.com>', 'see example.com'],
    ['<mailto:ada@example.com|ada@example.com>', 'ada@example.com'],
    ['<https://example.com/x|the page>', 'the page (https://example.com/x)'],
    ['1 < 2 and no end <', '1 < 2 and no end <'],
    ['', ''],
  ])('%s', (sent, typed) => {
    expect(readTypedText(sent, new Map([['U04ADA', 'Ada Lovelace']]))).toBe(typed);
  });

  it('finds the people who are mentioned without a name', () => {
    expect(unnamedPeople('<@U1> <@U2|two> <@U1> <#C1>')).toEqual(['U1']);
  });
});
