/** The names by which APIs tell a list of rows from what describes a page of it. Compared without case and separators. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Names that are kept, and their characters. */
const MAX_NAMES = 10_000;
const MAX_NAME_LENGTH = 100;

/** Keeps what was made of each name, because responses repeat theirs; forgets all of it once the names are too many. */
function keepEach<T>(make: (name: string) => T): (name: string) => T {
  const made = new Map<string, T>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const value = make(name);
    if (made.size >= MAX_NAMES) made.clear();
    if (name.length <= MAX_NAME_LENGTH) made.set(name, value);
    return value;
  };
}

/** A name without case and separators: `next_page_token` is `nextpagetoken`, `@odata.nextLink` is `odatanextlink`. */
export const plainName = keepEach((name) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ''));

/** Names of lists of rows, whatever is beside them. */
export const ROW_NAMES = words(`
  data datalist item items itemlist result results resultlist resultslist searchresults record records recordlist row rows
  list entries entry hits docs nodes edges datas resultset dataset rs`);

/** Names of lists of rows, and of other lists: they count where everything beside them describes a page. */
export const WEAK_ROW_NAMES = words(`
  content contents documents members member collection response body payload value values elements objects resources
  features children models instances output matches`);

/** Names of objects that only wrap the rows. */
export const WRAPPERS = words(`
  data response responses result results body payload embedded d content channel feed query search items records list
  output root return searchresult searchresults hits resultset soapenvelope envelope`);

/** Names of lists that never are the rows. */
export const BESIDE_LISTS = words(`
  errors error warnings messages message links link included includes facets facet aggregations notices debug meta fields
  columns headers sort sorts filters suggestions expand expands scopes`);

/** Names of objects that describe a page. */
const PAGE_OBJECTS = words(`
  meta metadata pagination paging page pageinfo paginator pager pageable info header responseheader attr links link
  resultinfo responsemetadata cursors cursor listmetadata resultspage pagingmetadata paginginfo pagemeta pagemetadata
  paginationinfo range pages headers`);

/** Names that say how many rows there are in all. */
const TOTALS = words(`
  total totalcount totalitems totalitem totalresults totalresult totalrecords totalrecord totalelements totalrows
  totalhits totalsize totalnumber totalentries totalobjects totalavailable totaldocs totalcnt totcnt numfound
  recordcount recordstotal rowcount matchcount nhits odatacount numberofresults opensearchtotalresults collectionsize
  itemstotal totalrecordcount totalitemcount totalresultcount totalnumberofrecords totalnumberofresults totalmatches`);

/** Names that say how many rows there are in all, or how many came. */
const COUNTS = words(
  'count resultcount size cnt hits found num numresults length itemcount results',
);

/** Names whose values lead to the next page, as an address or as a cursor. */
const NEXTS = words(`
  next nextpage nexturl nexturi nextlink nexthref nextpageurl nextpageuri nextpagelink odatanextlink nextrecordsurl
  nextpagepath nextcursor nextpagetoken nexttoken nextcontinuationtoken continuationtoken continuation continue endcursor
  after nextmarker nextkey nextoffset nextpageid nextpagecursor nextpagenumber nextstart nextid scrollid pagetoken cursor
  paginationtoken lastevaluatedkey offset marker nextposition nextindex iterator`);

/** Whether a member leads to the next page by its name. */
const isNext = (name: string): boolean => NEXTS.has(name) || /^(next.{3,}|loadmore)/.test(name);

/** Whether a member says how many rows there are in all. */
const isTotal = (name: string): boolean =>
  TOTALS.has(name) || /^total(rows|items|records|results)\w/.test(name);

/** Names that say whether there is another page. */
const MORES = words(
  'hasmore hasnext hasnextpage more moreresults hasmoreitems hasmoreresults moreitemsinlist',
);
const LASTS = words('done last islast islastpage endoflist isend lastpage');

/** Names that only a page of rows has. */
export const STRICT_PAGE_NAMES = words(`
  ${[...MORES].join(' ')} nextpage nexturl nextlink nexthref nextpageurl nextcursor nextpagetoken nexttoken odatanextlink endcursor
  next perpage pagesize totalpages totalelements totalcount totalresults pagination paging pageinfo pageable currentpage
  pagenumber pageno istruncated nextmarker maxkeys`);

/** Names of what stands beside rows. */
const BESIDE = words(`
  page pages totalpages pagecount lastpage currentpage pagenumber pageno pagesize perpage limit offset start startindex
  from to first last prev previous previouspage prevpage self skip top numberofelements number empty itemsperpage
  maxresults status statuscode success succeeded ok code message msg error stat cod cnt version apiversion requestid
  request timestamp time date took elapsed duration kind type object etag href url uri path query q sort order
  generatedat updated updatedat lastupdated copyright license attribution jsonapi context odatacontext schema dataversion
  resultcode resultmsg responsecode timedout shards incompleteresults prevcursor previouscursor beforecursor startcursor
  before truncated istruncated expand startat xmlns currency locale lang language documentation count`);

/** Whether a member describes the page, and not something that a caller wants. */
export const isBeside = (name: string): boolean =>
  BESIDE.has(name) ||
  isTotal(name) ||
  COUNTS.has(name) ||
  isNext(name) ||
  MORES.has(name) ||
  PAGE_OBJECTS.has(name) ||
  BESIDE_LISTS.has(name);

/** Names by which one thing is known: what has them is one resource, and no page of rows. */
export const IDENTITIES = words('id uuid guid objectid');

const PAGE_NUMBERS = words('page currentpage pagenumber pageno number pageindex pagenum');
const PAGE_COUNTS = words(
  'totalpages pagecount pagestotal lastpage pages numpages totalpage maxpage pagescount',
);
const PAGE_SIZES = words('perpage pagesize itemsperpage limit size resultsperpage');

/** What a member beside the rows may say. */
export interface PageRole {
  readonly isTotal: boolean;
  readonly isCount: boolean;
  readonly isNext: boolean;
  /** A number under this name is the request's own. */
  readonly isEcho: boolean;
  readonly isMore: boolean;
  readonly isLast: boolean;
  readonly isPage: boolean;
  readonly isPageCount: boolean;
  readonly isPageSize: boolean;
  /** Of an object: whether its members describe the page, too. */
  readonly describesPage: boolean;
  /** Of a list: whether it may have the address of the next page. */
  readonly isLinks: boolean;
}

/** What a member of this name may say; `none` for most names. */
export const pageRoleOf = keepEach((name): PageRole | 'none' => {
  const plain = plainName(name);
  const role: PageRole = {
    isTotal: isTotal(plain),
    isCount: COUNTS.has(plain),
    isNext: isNext(plain),
    isEcho: plain === 'offset' || plain === 'marker',
    isMore: MORES.has(plain),
    isLast: LASTS.has(plain),
    isPage: PAGE_NUMBERS.has(plain),
    isPageCount: PAGE_COUNTS.has(plain),
    isPageSize: PAGE_SIZES.has(plain),
    describesPage: PAGE_OBJECTS.has(plain) || plain === 'summary',
    isLinks: plain === 'links' || plain === 'link',
  };
  return Object.values(role).includes(true) ? role : 'none';
});
