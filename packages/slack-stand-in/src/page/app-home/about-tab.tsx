import { usePage } from '../state/page-context.ts';

/** The app's manifest. */
export function AboutTab() {
  const { app } = usePage().team;
  const lists = [
    {
      title: 'Commands',
      items: app.commands.map((each) => [`${each.command} ${each.usageHint}`, each.description]),
    },
    {
      title: 'Message shortcuts',
      items: app.messageShortcuts.map((each) => [each.name, each.description]),
    },
    {
      title: 'Global shortcuts',
      items: app.globalShortcuts.map((each) => [each.name, each.description]),
    },
  ];
  return (
    <div class="home-tab" role="tabpanel" aria-label="About">
      <div class="home-content">
        <p>{app.description}</p>
        {lists
          .filter(({ items }) => items.length > 0)
          .map(({ title, items }) => (
            <section key={title}>
              <h3 class="header-block">{title}</h3>
              <dl class="about-list">
                {items.map(([name, description]) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd class="muted">{description}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
      </div>
    </div>
  );
}
