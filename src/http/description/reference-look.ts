export const REFERENCE_STYLE = `
.columns { display: grid; grid-template-columns: 18rem minmax(0, 1fr); max-width: 80rem; margin: 0 auto }
nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; font-size: 0.875rem }
nav ul { list-style: none; margin: 0; padding: 0 }
nav ul ul { margin: 0 0 0.75rem; padding-left: 0.75rem }
nav a { display: block; padding: 0.2rem 0; color: var(--dimmed); text-decoration: none }
nav a:hover { color: var(--accent) }
nav > ul > li > a { color: var(--text); font-weight: 650 }
main { padding: 2rem 1.5rem 4rem }
main > :not(section), section > p { max-width: 48rem }
section { margin-top: 3rem; border-top: 1px solid var(--line) }
article { margin-top: 2rem; padding: 0.25rem 1.25rem 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--raised) }
article:target { border-color: var(--accent) }
h3 a { color: inherit; text-decoration: none }
h3 a:hover { text-decoration: underline }
h4 { margin: 1rem 0 0.25rem; font-size: 0.875rem }
.method { font-size: 0.75rem; font-weight: 650; color: var(--accent) }
dl { margin: 0; font-size: 0.9375rem }
dl > div { padding: 0.35rem 0; border-top: 1px solid var(--line) }
dd { margin: 0 0 0 1.25rem }
dd p { margin: 0.25rem 0 }
pre { margin: 0.75rem 0; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--sunken); white-space: pre-wrap }
summary { cursor: pointer; color: var(--dimmed); font-size: 0.875rem }
.command { position: relative; padding-right: 5.5rem }
button { position: absolute; top: 0.5rem; right: 0.5rem; padding: 0.2rem 0.7rem; border: 1px solid var(--line); border-radius: 0.4rem; background: var(--raised); color: var(--text); font: inherit; cursor: pointer }
.hidden { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%) }
@media (max-width: 60rem) {
  .columns { display: block }
  nav { position: static; max-height: none; padding-bottom: 0 }
  nav > ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem }
  nav ul ul { display: none }
  main { padding: 1.5rem 1rem 3rem }
  .command { padding: 2.75rem 1rem 0.75rem }
}
`;

/**
 * Shows the colours that the person chose in the dashboard, writes where the gateway is, and lets commands be copied where
 * the browser allows it.
 */
export const REFERENCE_SCRIPT = `
try {
  const chosen = localStorage.getItem('tool-gateway-colours');
  if (/^(light|dark)$/.test(chosen)) document.documentElement.style.colorScheme = chosen;
} catch {}
const address = new URL('..', location.href).href.slice(0, -1);
for (const each of document.querySelectorAll('.gateway')) each.textContent = address;
const said = document.querySelector('[role=status]');
if (navigator.clipboard) for (const command of document.querySelectorAll('.command')) {
  const text = command.textContent;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  if (command.dataset.about) button.setAttribute('aria-describedby', command.dataset.about);
  const say = (word) => {
    button.textContent = said.textContent = word;
    setTimeout(() => { button.textContent = 'Copy'; said.textContent = ''; }, 2000);
  };
  button.onclick = () => navigator.clipboard.writeText(text).then(() => say('Copied'), () => say('Refused'));
  command.append(button);
}
`;
