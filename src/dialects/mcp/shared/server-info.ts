import { VERSION } from '../../../platform/kernel/version.ts';

/** How the gateway identifies itself to MCP clients. */
export const SERVER_INFO = { name: 'tool-gateway', title: 'Tool Gateway', version: VERSION };

/** What a model should know before it uses the tools, in English and Korean. Clients cut it at about 2 KB. */
export const INSTRUCTIONS = `Data of Korean public bodies (weather, economy, culture) and some worldwide sources.
Prefixes: kma_ weather; airkorea_ air quality; kasi_ sun, moon, holidays; khoa_ tides; hrfco_ rivers; ecos_ Bank of Korea; kosis_ official statistics; exim_ won rates; fsc_ stocks, companies; dart_ filings; molit_ apartments; customs_ trade; nts_, nps_ businesses; opinet_ fuel; pps_ tenders; tour_ tourism; odii_ audio guides; gocamping_ campsites; kofic_ films; kopis_ stage; khs_ heritage; std_ registers; data4library_ books; openmeteo_, frankfurter_, worldbank_, openlibrary_, artic_ worldwide.
find_code finds the codes that arguments take. Where tools have rows, _fields and _where choose columns and rows, _limit their number.
Each result starts with one line: what it is, its source, and the time of the data. A failure says who must act: you (arguments), the operator (key) or nobody (try later).

한국 공공데이터(날씨, 경제, 문화)와 일부 세계 데이터.
접두어: kma_ 기상; airkorea_ 대기질; kasi_ 해·달, 공휴일; khoa_ 조석; hrfco_ 하천; ecos_ 한국은행; kosis_ 국가통계; exim_ 환율; fsc_ 주식, 기업; dart_ 공시; molit_ 아파트; customs_ 무역; nts_, nps_ 사업자; opinet_ 유가; pps_ 입찰; tour_ 관광; kofic_ 영화; kopis_ 공연; khs_ 국가유산; std_ 표준데이터.
인수에 쓰는 코드는 find_code로 찾는다. 행이 있는 도구는 _fields, _where, _limit로 열과 행을 고른다. 실패하면 누가 무엇을 해야 하는지 알려 준다.
`;
