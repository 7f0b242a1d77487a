import { texts as apis } from '../../apis/texts.ko.ts';
import { texts as audit } from '../../audit/texts.ko.ts';
import { texts as catalogue } from '../../catalogue/texts.ko.ts';
import { texts as connect } from '../../connect/texts.ko.ts';
import { texts as home } from '../../home/texts.ko.ts';
import { texts as keys } from '../../keys/texts.ko.ts';
import { texts as live } from '../../live/texts.ko.ts';
import { texts as overview } from '../../overview/texts.ko.ts';
import { texts as people } from '../../people/texts.ko.ts';
import { texts as playground } from '../../playground/texts.ko.ts';
import { texts as providerKeys } from '../../provider-keys/texts.ko.ts';
import { texts as shared } from '../../shared/texts.ko.ts';
import { texts as signIn } from '../../sign-in/texts.ko.ts';
import type { texts as en } from './en.ts';

const app = {
  product: 'Tool Gateway',
  problems_other: '문제 {{count}}건',
  skipToContent: '본문으로 건너뛰기',
  reference: 'API 문서',
  showPassword: '값 표시 전환',
  navigation: {
    label: '주 메뉴',
    overview: '개요',
    catalogue: '카탈로그',
    connect: '연결',
    live: '실시간',
    audit: '감사 로그',
    apis: 'API',
    settings: '설정',
    keys: 'API 키',
    ownKeys: '우리 인증키',
    providerKeys: '공용 인증키',
    members: '구성원',
    tenants: '테넌트',
    people: '사용자',
    trail: '변경 이력',
    account: '내 계정',
    open: '메뉴 열기',
    close: '메뉴 닫기',
    home: 'Tool Gateway 첫 화면',
  },
  tenant: {
    label: '테넌트',
    choose: '테넌트 선택',
    all: '모든 테넌트',
    viewer: '뷰어',
    admin: '관리자',
  },
  account: {
    menu: '{{name}} 님의 계정',
    signIn: '로그인',
    signOut: '로그아웃',
    settings: '내 계정',
    signedInAs: '{{email}} 계정으로 로그인됨',
  },
  language: { label: '언어' },
  colours: { label: '테마', light: '라이트', dark: '다크', auto: '시스템 설정' },
  search: {
    open: '검색',
    placeholder: '검색어 또는 ID',
    nothingFits: '‘{{words}}’ 검색 결과가 없습니다',
    nothingHint: '이름, 이메일 주소, aud_·key_·req_로 시작하는 ID로 찾을 수 있습니다.',
    results_other: '결과 {{count, number}}개',
    pages: '페이지',
    tools: '도구',
    ids: 'ID',
    openCall: '호출 기록 열기',
    openKey: 'API 키 열기',
    openRequest: '이 요청의 호출 보기',
    actions: '작업',
    action: {
      createKey: 'API 키 만들기',
      registerApi: 'API 등록하기',
      invite: '구성원 초대하기',
    },
  },
  sandbox: {
    text: '샌드박스: 기본 제공 도구는 가상 데이터로 응답합니다. 실제 데이터를 쓰려면 --sandbox 없이 시작하세요. 직접 등록한 API는 실제로 호출됩니다.',
  },
  outage: {
    title: '게이트웨이가 응답하지 않습니다.',
    text: '화면의 내용이 최신이 아닐 수 있습니다. 몇 초마다 다시 연결을 시도합니다.',
    again: '지금 다시 시도',
  },
  refused: {
    member: '속한 테넌트가 없어 이 페이지를 볼 수 없습니다',
    admin: '테넌트 관리자만 볼 수 있는 페이지입니다',
    operator: '운영자만 볼 수 있는 페이지입니다',
    text: '필요하면 담당자에게 요청하세요.',
  },
  notFound: {
    title: '페이지를 찾을 수 없습니다',
    text: '이 주소에는 아무것도 없습니다. 삭제되었거나 링크가 잘못되었을 수 있습니다.',
    back: '첫 화면으로',
  },
  crash: {
    title: '페이지에 오류가 발생했습니다',
    text: '다시 불러오세요. 계속 실패하면 아래 메시지를 운영자에게 알려 주세요.',
    reload: '다시 불러오기',
  },
};

/**
 * Texts of another language with the keys of the English ones. Korean has no plural: `count_other` serves all numbers,
 * and `count_one` does not exist.
 */
type TextsLike<Texts> = {
  readonly [Key in keyof Texts as Key extends `${string}_one`
    ? never
    : Key]: Texts[Key] extends string ? string : TextsLike<Texts[Key]>;
};

/** All texts in Korean, by feature. */
export const texts: TextsLike<typeof en> = {
  app,
  shared,
  home,
  connect,
  signIn,
  catalogue,
  playground,
  keys,
  providerKeys,
  people,
  apis,
  audit,
  live,
  overview,
};
