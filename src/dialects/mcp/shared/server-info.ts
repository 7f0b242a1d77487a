import { VERSION } from '../../../platform/kernel/version.ts';
import type { PresetServer } from '../../../tools/model.ts';

/** How the gateway identifies itself to MCP clients. */
export const SERVER_INFO = { name: 'tool-gateway', title: 'Tool Gateway', version: VERSION };

/** Characters of each list of prefixes: clients cut the whole text at about 2 KB. */
const MAX_PREFIXES = 700;

/** What a model should know before it uses the tools of these presets, in English and Korean. */
export const instructionsFor = (servers: readonly PresetServer[]): string => {
  const categories = [...new Set(servers.map(({ category }) => category))].join(', ');
  return `Data APIs as tools (${categories}).
Prefixes: ${prefixes(servers, 'en')}.
find_code finds the codes that arguments take. Where tools have rows, _fields and _where choose columns and rows, _limit their number. _over makes a range of values one call, _group and _calc compute, and a long answer has a file (_link).
Each result starts with one line: what it is, its source, and the time of the data. A failure says who must act: you (arguments), the operator (key) or nobody (try later).

데이터 API를 도구로 쓴다(${categories}).
접두어: ${prefixes(servers, 'ko')}.
인수에 쓰는 코드는 find_code로 찾는다. 행이 있는 도구는 _fields, _where, _limit로 열과 행을 고르고, _over로 여러 값을 한 번에 부르고, _group과 _calc로 계산하며, 긴 답은 파일(_link)로 받는다. 실패하면 누가 무엇을 해야 하는지 알려 준다.
`;
};

/** `kma_ weather; kasi_ sun and moon, holidays`: the first words of the tools' names, with the topics behind them. */
function prefixes(servers: readonly PresetServer[], language: 'en' | 'ko'): string {
  const topics = new Map<string, Set<string>>();
  for (const { tools, topic, title } of servers) {
    for (const { name } of tools) {
      const prefix = name.slice(0, name.indexOf('_') + 1) || name;
      topics.set(prefix, (topics.get(prefix) ?? new Set()).add(topic?.[language] ?? title));
    }
  }
  let text = '';
  for (const [prefix, words] of topics) {
    const entry = `${text && '; '}${prefix} ${[...words].join(', ')}`;
    if (text.length + entry.length > MAX_PREFIXES) return `${text}; ...`;
    text += entry;
  }
  return text || '-';
}
