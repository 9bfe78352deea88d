// A dataset of images: bytes as in the official files, labels, and the names of the classes.

/** Images of one size with their classes. */
export interface ImageSet {
  /** One byte a pixel, 0 background to 255 ink (or none to full colour), row-major in the order of `shape`. */
  readonly pixels: Uint8Array;
  /** [images, channels, height, width] */
  readonly shape: readonly [number, number, number, number];
  /** One class an image, an index into `classes`. */
  readonly labels: Uint8Array;
  readonly classes: readonly string[];
}

/** Images to train on and images to test on. */
export interface Dataset {
  readonly name: string;
  readonly train: ImageSet;
  readonly test: ImageSet;
}
