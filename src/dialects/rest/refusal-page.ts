import { OAuthError } from '../../access/oauth/oauth-error.ts';
import { describeRedirect } from '../../access/oauth/redirects.ts';
import type { GatewayError } from '../../platform/kernel/error.ts';
import { chooseLanguage } from '../../platform/kernel/http-names.ts';
import type { RequestHeaders, RouteResponse } from '../route.ts';
import { type Html, html, writePage } from './html-page.ts';

/** Why a program cannot be connected, and what its person can do. */
interface Refusal {
  readonly title: string;
  readonly text: string;
  readonly steps: readonly string[];
}

interface Texts {
  readonly unknown: Refusal;
  readonly invalid: Refusal;
  readonly busy: Refusal;
  readonly toDo: string;
  readonly forOperator: string;
  readonly wayBack: string;
  readonly back: string;
}

const TEXTS: Readonly<Record<'en' | 'ko', Texts>> = {
  en: {
    unknown: {
      title: 'This program cannot be connected',
      text: 'The gateway does not know the program, so nothing was shared with it.',
      steps: [
        'In the program, remove the gateway and add it again.',
        'If that does not help, show this page to the operator of the gateway.',
      ],
    },
    invalid: {
      title: 'This program cannot be connected',
      text: 'The program sent a request that the gateway does not accept, so nothing was shared with it.',
      steps: [
        'Return to the program, and connect it again.',
        'If that does not help, remove the gateway from the program and add it again.',
        'If it still fails, show this page to the operator of the gateway.',
      ],
    },
    busy: {
      title: 'The gateway cannot answer right now',
      text: 'Nothing was shared with the program.',
      steps: ['Wait a minute, then reload this page.'],
    },
    toDo: 'What to do',
    forOperator: 'For the operator:',
    wayBack:
      'Follow this link only if you have just started to connect a program. The gateway has not verified where it leads.',
    back: 'Back to',
  },
  ko: {
    unknown: {
      title: '이 프로그램을 연결할 수 없습니다',
      text: '게이트웨이에 등록되지 않은 프로그램입니다. 아무 정보도 전달되지 않았습니다.',
      steps: [
        '프로그램에서 게이트웨이를 제거한 뒤 다시 추가하세요.',
        '그래도 연결되지 않으면 이 페이지를 게이트웨이 운영자에게 보여 주세요.',
      ],
    },
    invalid: {
      title: '이 프로그램을 연결할 수 없습니다',
      text: '프로그램이 보낸 요청이 올바르지 않습니다. 아무 정보도 전달되지 않았습니다.',
      steps: [
        '프로그램으로 돌아가 다시 연결하세요.',
        '그래도 연결되지 않으면 프로그램에서 게이트웨이를 제거한 뒤 다시 추가하세요.',
        '문제가 계속되면 이 페이지를 게이트웨이 운영자에게 보여 주세요.',
      ],
    },
    busy: {
      title: '지금은 게이트웨이가 응답할 수 없습니다',
      text: '프로그램에는 아무 정보도 전달되지 않았습니다.',
      steps: ['1분 정도 기다린 뒤 이 페이지를 새로 고치세요.'],
    },
    toDo: '해결 방법',
    forOperator: '운영자 참고:',
    wayBack:
      '방금 프로그램 연결을 직접 시작한 경우에만 이 링크를 여세요. 게이트웨이가 확인하지 않은 주소입니다.',
    back: '돌아갈 주소:',
  },
};

/**
 * A request for access that is refused, as a page for the person whose browser it came with: without a script, and of the
 * request only the address that the client has registered, as a link.
 */
export function refusalPage(
  error: GatewayError,
  headers: RequestHeaders,
  location?: string,
): RouteResponse {
  const language = chooseLanguage(headers['accept-language']);
  const texts = TEXTS[language];
  const code = error instanceof OAuthError ? error.oauthCode : error.code;
  const { title, text, steps } = texts[kindOf(code, error)];
  const { retryAfterSeconds } = error.details;
  const page = writePage({
    language,
    title: `${title} · Tool Gateway`,
    root: '',
    style: STYLE,
    content: html`<main>
<h1>${title}</h1>
<p>${text}</p>
<h2>${texts.toDo}</h2>
<ol>${steps.map((step) => html`<li>${step}</li>`)}</ol>
${location !== undefined && wayBack(location, texts)}
<p class="dimmed">${texts.forOperator} <span lang="en"><code>${code}</code> ${error.message}</span></p>
</main>`,
  });
  return {
    status: error.row.httpStatus,
    headers: {
      ...page.headers,
      // The host has opened it in a window of its own, and would lose it otherwise.
      'cross-origin-opener-policy': 'unsafe-none',
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
    body: page.markup,
  };
}

function kindOf(code: string, { row }: GatewayError): 'unknown' | 'invalid' | 'busy' {
  if (row.retryable) return 'busy';
  return code === 'invalid_client' ? 'unknown' : 'invalid';
}

/** Where the person may go, who sees where that is. */
const wayBack = (location: string, texts: Texts): Html => html`<p>${texts.wayBack}</p>
<p><a rel="noreferrer" href="${location}">${texts.back} <code>${describeRedirect(location).host}</code></a></p>`;

const STYLE = `
main { max-width: 34rem; margin: clamp(1rem, 8vh, 6rem) auto; padding: 1.5rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--page) }
h2 { margin: 1.5rem 0 0 }
ol { padding-left: 1.25rem }
.dimmed { margin: 1.5rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 0.875rem }
@media (max-width: 36rem) { main { margin: 1rem } }
`;
