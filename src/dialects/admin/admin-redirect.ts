/** Leads the browser to another address. */
export class AdminRedirect {
  readonly location: string;

  constructor(location: string) {
    this.location = location;
  }
}
