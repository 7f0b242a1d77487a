export const texts = {
  title: '실시간',
  description:
    '최근 호출 50건에 이어, 호출이 끝나는 대로 표시됩니다. 호출을 열면 감사 기록을 볼 수 있습니다.',
  table: '호출',
  pause: '일시 정지',
  resume: '계속',
  clear: '지우기',
  state: { open: '연결됨', connecting: '연결 중', paused: '일시 정지됨', ended: '연결 끊김' },
  toolContains: '이름의 일부',
  paused_other: '일시 정지됨. 그동안 호출 {{count}}건이 끝났으며 감사 로그에서 볼 수 있습니다.',
  dropped_other:
    '호출이 너무 많아 {{count}}건을 표시하지 못했습니다. 감사 로그에서 볼 수 있습니다.',
  ended: '실시간 보기가 끝났습니다. 로그아웃되었거나 열린 보기가 너무 많을 수 있습니다.',
  reconnect: '다시 연결',
  nothing: '호출을 기다리는 중입니다',
  nothingText: '이 테넌트에는 아직 호출이 없습니다. 호출이 끝나는 대로 여기에 표시됩니다.',
  nothingMatches: '조건에 맞는 호출이 없습니다',
  nothingMatchesText: '조건에 맞는 호출이 끝나는 대로 여기에 표시됩니다.',
};
