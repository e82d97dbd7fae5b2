/** Added to the session page's style. */
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
