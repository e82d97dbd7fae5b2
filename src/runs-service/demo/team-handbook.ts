/** A sample project for the demo: file names and contents. */
export const teamHandbook: Record<string, string> = {
  'README.md': `# Team handbook

How we work, in a few pages. If something is wrong, fix it.

- [On call](on-call.md)
- [Releases](releases.md)
- [New here](new-here.md)
`,
  'on-call.md': `# On call

One person a week, Monday 10:00 to Monday 10:00. The calendar says who.

1. Acknowledge the alert within fifteen minutes.
2. Post what you see in the incidents channel, even if you don't understand it yet.
3. Roll back first, then find the cause.

TODO: write down how to reach the database team at night.
`,
  'releases.md': `# Releases

We release on Tuesdays and Thursdays before noon.

- The changelog is written for people who use the product, not for us.
- No one releases alone: one drives, one watches the graphs.

TODO: add the link to the rollback page.
`,
  'new-here.md': `# New here

Day one: laptop, accounts, lunch with the team.
Week one: fix something small and release it.
Month one: be on call with a colleague.
`,
};
