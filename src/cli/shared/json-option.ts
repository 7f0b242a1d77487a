/** The option `--json`, for programs that read what a command prints. */
export interface JsonOption {
  readonly json?: true;
}
