import { SECRET } from '../arena.ts';
import { type Attack, verdict } from '../attack.ts';
import { spellingsOf } from '../spellings.ts';

/** The spellings of the secret that a text contains. */
function leaksIn(text: string): string[] {
  const flat = text.replaceAll('\\\\', '\\');
  return spellingsOf(SECRET).filter(
    (spelling) => text.includes(spelling) || flat.includes(spelling),
  );
}

export const secretAttacks: readonly Attack[] = [200, 404].map((status) => ({
  name: `an upstream repeats its secret in every spelling, with status ${status}`,
  bound: 'no spelling reaches a caller, an audit record or an event',
  run: async (arena) => {
    const { body } = await arena.call('arena_echo', { status });
    const again = await arena.call('arena_echo', { status });
    const audit = await arena.get('/api/v1/audit?tool=arena_echo&limit=5');
    const texts = [
      JSON.stringify(body.result?.data),
      JSON.stringify(body),
      JSON.stringify(again.body),
      audit.text,
    ];
    const forms: string[] = body.result?.data?.forms ?? [];
    const leaks = [
      ...new Set([...texts.flatMap(leaksIn), ...forms.filter((form) => leaksIn(form).length > 0)]),
    ];
    const held = body.result !== undefined && forms.length > 0 && leaks.length === 0;
    return verdict(
      held,
      leaks.length === 0 ? `${forms.length} spellings hidden` : `${leaks.length} leaked`,
    );
  },
}));
