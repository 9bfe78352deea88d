// A drawn figure, to be written to a file.

export interface Figure {
  /** The name of its file, without an ending. */
  readonly name: string;
  readonly svg: string;
}
