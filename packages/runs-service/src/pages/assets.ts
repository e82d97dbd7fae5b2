import { Hono } from 'hono';
import { pageHeaders } from './page.ts';

/** Creates the routes for the style and script of all pages. */
export function createAssetRoutes(): Hono {
  const app = new Hono();
  app.use('/session-assets/*', pageHeaders("form-action 'none'"));
  app.get('/session-assets/session.css', (context) =>
    context.body(sessionStyle + listStyle, 200, { 'content-type': 'text/css; charset=utf-8' }),
  );
  app.get('/session-assets/session.js', (context) =>
    context.body(sessionScript, 200, { 'content-type': 'text/javascript; charset=utf-8' }),
  );
  return app;
}

/**
 * Script of the pages. It shows local times. On session pages, it also shows new output while the run is active. It
 * inserts events as HTML, because the server has escaped them. It's plain JavaScript, because it isn't compiled.
 */
export const sessionScript = `'use strict';
const { address, version } = document.body.dataset;

function showLocalTimes() {
  for (const element of document.querySelectorAll('time')) {
    const at = new Date(element.dateTime);
    element.textContent = at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
    element.title = element.dateTime;
  }
}

async function refresh(...selectors) {
  const answer = await fetch(location.href, { cache: 'no-store' });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  document.title = fresh.title;
  for (const selector of selectors) {
    const [old, next] = [document.querySelector(selector), fresh.querySelector(selector)];
    if (!old || !next) continue;
    const [was, is] = [old.querySelector('details'), next.querySelector('details')];
    if (was && is && selector !== 'main') is.open = was.open;
    old.replaceWith(next);
  }
  const [old, next] = [document.querySelector('#question'), fresh.querySelector('#question')];
  if (old && next && old.dataset.question !== next.dataset.question) old.replaceWith(next);
  showLocalTimes();
}

function follow() {
  const lines = document.querySelector('#lines');
  const events = new EventSource(address + '/events?version=' + version + '&from=' + lines.dataset.offset);
  events.addEventListener('output', (event) => {
    const page = document.scrollingElement;
    const atEnd = page.scrollHeight - page.scrollTop - page.clientHeight < 80;
    lines.insertAdjacentHTML('beforeend', JSON.parse(event.data));
    if (atEnd) page.scrollTop = page.scrollHeight;
  });
  events.addEventListener('progress', (event) => {
    const wasOpen = document.querySelector('#progress details')?.open;
    document.querySelector('#progress').outerHTML = JSON.parse(event.data);
    const details = document.querySelector('#progress details');
    if (details) details.open = wasOpen ?? details.open;
    showLocalTimes();
  });
  events.addEventListener('changed', () => refresh('#header', '#prompt', '#model-calls', '#timeline'));
  events.addEventListener('end', () => {
    events.close();
    refresh('main');
  });
}

showLocalTimes();
if (version) follow();
`;

/** Style of all pages. It supports light and dark mode, and narrow and wide windows. */
export const sessionStyle = `:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --edge: #e2e5ea; --ink: #1c2128; --soft: #667080; --link: #1f5fd0;
  --queued: #8a93a3; --inprogress: #c98a00; --succeeded: #1a8f4c; --failed: #cf3040; --cancelled: #8a93a3;
  --plus: #e3f6e9; --minus: #fdeaec; --plus-ink: #14723c; --minus-ink: #b3202f; --hunk: #eef3fb;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101318; --card: #181c23; --edge: #2a303a; --ink: #e6e9ee; --soft: #97a1b0; --link: #7db0ff;
    --queued: #97a1b0; --inprogress: #e3b341; --succeeded: #4cc27f; --failed: #ff7680; --cancelled: #97a1b0;
    --plus: #12301f; --minus: #3a171c; --plus-ink: #6fdc9d; --minus-ink: #ff9aa2; --hunk: #1d2531;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
header { padding: .5rem .25rem 1.25rem; } header > .state { margin-top: .6rem; }
h1 { margin: .4rem 0 .2rem; font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { display: flex; align-items: baseline; gap: .6rem; margin: 0 0 .7rem; font-size: .95rem; font-weight: 650; }
h3 { margin: 1rem 0 .3rem; font-size: .85rem; color: var(--soft); }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
.by, time { color: var(--soft); margin: 0; }
.state { display: inline-flex; align-items: center; gap: .5rem; margin: 0; padding: .15rem .75rem .15rem .6rem; border: 1px solid currentColor; border-radius: 2rem; font-weight: 600; font-size: .85rem; color: var(--tone); }
.state-queued { --tone: var(--queued); } .state-inprogress { --tone: var(--inprogress); }
 .state-blocked { --tone: var(--inprogress); }
.state-succeeded { --tone: var(--succeeded); } .state-failed { --tone: var(--failed); } .state-cancelled { --tone: var(--cancelled); }
.dot { width: .6rem; height: .6rem; border-radius: 50%; background: var(--tone, var(--edge)); flex: none; }
.state-failed > .dot { border-radius: 2px; }
.state-inprogress.state > .dot, .live .dot { animation: pulse 1.6s ease-in-out infinite; }
@keyframes pulse { 50% { opacity: .25; } }
@media (prefers-reduced-motion: reduce) { .dot { animation: none !important; } }
.reason { margin: .9rem 0 0; padding: .7rem .9rem; border-left: 3px solid var(--failed); background: var(--card); border-radius: 0 .4rem .4rem 0; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 19rem; gap: 1rem; align-items: start; }
@media (max-width: 60rem) { .columns { grid-template-columns: minmax(0, 1fr); } }
section { background: var(--card); border: 1px solid var(--edge); border-radius: .7rem; padding: 1rem 1.1rem; margin-bottom: 1rem; }
pre { margin: 0; font-family: var(--mono); font-size: .84rem; }
.prompt { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }
.more { margin-left: auto; font-size: .85rem; font-weight: 500; }
.terminal { margin: 0 -1.1rem -1rem; padding: .9rem 1.1rem; background: #14181f; color: #d9dee7; border-radius: 0 0 .65rem .65rem; overflow-x: auto; }
.lines { white-space: pre-wrap; overflow-wrap: anywhere; font: .84rem/1.45 var(--mono); }
.step { margin: .35rem 0; }
.says { font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', sans-serif; color: #f2f4f8; }
.call { color: #a5caff; } .call code { font: inherit; color: #d9dee7; }
.result, .thought { margin-left: .3rem; padding-left: .7rem; border-left: 2px solid #3a4453; color: #b4bdca; }
.note { color: #8d98a9; } .bad { color: #ff9aa2; border-color: #ff7b86; }
.end { padding-top: .4rem; border-top: 1px solid #3a4453; } .end.good { color: #8ff0b5; }
.terminal summary, .terminal .cut, .live { color: #8d98a9; font-size: .82rem; margin: 0 0 .4rem; cursor: default; }
.terminal summary { cursor: pointer; }
.live { --tone: #4cc27f; display: flex; gap: .5rem; align-items: center; margin: .5rem 0 0; }
.t-bold { font-weight: 700; color: #fff; } .t-dim { opacity: .62; } .t-italic { font-style: italic; } .t-underline { text-decoration: underline; }
.t-c0 { color: #6b7686; } .t-c1 { color: #ff7b86; } .t-c2 { color: #6fd699; } .t-c3 { color: #e6c06a; } .t-c4 { color: #7fb2ff; } .t-c5 { color: #d49bff; } .t-c6 { color: #6cd3dd; } .t-c7 { color: #d9dee7; }
.t-c8 { color: #8793a5; } .t-c9 { color: #ff9aa2; } .t-c10 { color: #8ff0b5; } .t-c11 { color: #ffdc8a; } .t-c12 { color: #a5caff; } .t-c13 { color: #e5bfff; } .t-c14 { color: #97ecf3; } .t-c15 { color: #fff; }
.timeline { list-style: none; margin: 0; padding: 0; }
.timeline li { position: relative; padding: 0 0 .9rem 1.4rem; display: grid; font-size: .9rem; }
.timeline li:last-child { padding-bottom: 0; }
.timeline li::before { content: ''; position: absolute; left: .28rem; top: .9rem; bottom: -.35rem; width: 1px; background: var(--edge); }
.timeline li:last-child::before { display: none; }
.timeline .dot { position: absolute; left: 0; top: .42rem; }
.timeline .moved .what { font-weight: 600; color: var(--tone); }
.timeline .noted .dot { transform: scale(.6); background: var(--soft); }
.timeline time { font-size: .78rem; }
.what, dd { overflow-wrap: anywhere; }
dl { margin: 0; display: grid; gap: .6rem; font-size: .9rem; }
dt { color: var(--soft); font-size: .78rem; }
dd { margin: 0; white-space: pre-wrap; max-height: 14rem; overflow-y: auto; }
.plan { list-style: none; margin: 0; padding: 0; overflow-wrap: anywhere; } .plan li { padding: .1rem 0; } .plan .done { color: var(--soft); }
.plan code { font-family: var(--mono); font-size: .84rem; } .mark { display: inline-block; width: 1.2rem; }
.question { border-color: var(--inprogress); } .question form { margin: .7rem 0; } .question button { margin: 0 .3rem .3rem 0; overflow-wrap: anywhere; max-width: 100%; }
textarea { display: block; width: 100%; margin: .2rem 0 .6rem; padding: .45rem .5rem; font: inherit; border: 1px solid var(--edge); border-radius: .45rem; background: var(--card); color: var(--ink); }
section > .live { margin: 0 0 .5rem; }
.count { color: var(--soft); font-size: .85rem; font-weight: 500; }
summary { cursor: pointer; } summary > h2 { display: inline; margin: 0; } details[open] > summary:has(> h2) { margin-bottom: .7rem; }
#files ul { margin: 0; padding-left: 1.2rem; }
.plus { color: var(--plus-ink); } .minus { color: var(--minus-ink); }
.file { border: 1px solid var(--edge); border-radius: .5rem; margin-top: .7rem; overflow: hidden; }
.file summary { display: flex; gap: .7rem; align-items: baseline; padding: .5rem .8rem; cursor: pointer; font-size: .85rem; }
.file .name { font-family: var(--mono); font-weight: 600; overflow-wrap: anywhere; margin-right: auto; unicode-bidi: isolate; }
.kind { color: var(--soft); }
.scroll { overflow-x: auto; border-top: 1px solid var(--edge); }
table { border-collapse: collapse; width: 100%; font: .8rem/1.45 var(--mono); }
td { padding: 0 .6rem; white-space: pre; vertical-align: top; }
td.n { width: 1%; text-align: right; color: var(--soft); user-select: none; opacity: .75; }
td.s { width: 1%; padding: 0; user-select: none; }
tr.added { background: var(--plus); } tr.removed { background: var(--minus); }
tr.hunk { background: var(--hunk); color: var(--soft); }
.none { color: var(--soft); margin: .6rem .8rem; }
section > .none { margin: 0; }
`;

/** Style of the list of runs, added to `sessionStyle`. */
export const listStyle = `.top { display: flex; align-items: baseline; gap: 1rem; } .top form { margin-left: auto; }
button { font: inherit; padding: .35rem .9rem; border: 1px solid var(--edge); border-radius: .45rem; background: var(--card); color: var(--ink); cursor: pointer; }
.filters button, .sign-in button { background: var(--link); border-color: var(--link); color: var(--ground); font-weight: 600; }
input, select { font: inherit; height: 2.2rem; width: 100%; min-width: 0; padding: .35rem .5rem; border: 1px solid var(--edge); border-radius: .45rem; background: var(--card); color: var(--ink); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.filters { display: grid; grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr)); gap: .7rem; align-items: end; margin-bottom: 1rem; }
.filters label, .sign-in label { display: grid; gap: .2rem; font-size: .8rem; color: var(--soft); }
.do { display: flex; gap: .9rem; align-items: center; }
.list { padding: 0; overflow: hidden; } .list > .none { padding: 1.1rem; }
.runs { list-style: none; margin: 0; padding: 0; }
.runs li { display: grid; grid-template-columns: 8.5rem minmax(0, 1fr); gap: .8rem; align-items: start; padding: .75rem 1.1rem; border-top: 1px solid var(--edge); }
.runs li:first-child { border-top: 0; } .runs .state { justify-self: start; }
.runs p { margin: 0; overflow-wrap: anywhere; } .runs .title { font-weight: 600; } .runs .by { font-size: .85rem; }
.pages { text-align: right; padding: 0 .2rem; }
.sign-in { max-width: 26rem; margin: 12vh auto 0; } .sign-in form { display: grid; gap: .7rem; margin: 1rem 0; }
@media (max-width: 40rem) { .runs li { grid-template-columns: minmax(0, 1fr); gap: .35rem; } }
`;
