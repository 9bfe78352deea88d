// Ink on paper: the share of each pixel that a path covers, with soft edges.
import { type Path, SEGMENT } from "./hand.js";

export const SIDE = 28;

/** Adds a path to `ink` (SIDE × SIDE, 0 to 1); where strokes cross, the darker one counts. `soft` is the width of an edge in pixels. */
export function draw({ segments, count }: Path, soft: number, ink: Float32Array): void {
  for (let at = 0; at < count * SEGMENT; at += SEGMENT) {
    const x = segments[at];
    const y = segments[at + 1];
    const r = segments[at + 2];
    const dx = segments[at + 3] - x;
    const dy = segments[at + 4] - y;
    const dr = segments[at + 5] - r;
    const length = dx * dx + dy * dy;
    const reach = Math.max(r, r + dr) + soft;
    const left = Math.max(0, Math.floor(Math.min(x, x + dx) - reach));
    const right = Math.min(SIDE - 1, Math.ceil(Math.max(x, x + dx) + reach));
    const top = Math.max(0, Math.floor(Math.min(y, y + dy) - reach));
    const bottom = Math.min(SIDE - 1, Math.ceil(Math.max(y, y + dy) + reach));
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) {
        // From the centre of the pixel to the nearest point of the segment.
        const px = column + 0.5 - x;
        const py = row + 0.5 - y;
        const t = length > 0 ? Math.min(1, Math.max(0, (px * dx + py * dy) / length)) : 0;
        const ex = px - t * dx;
        const ey = py - t * dy;
        const cover = 0.5 + (r + t * dr - Math.sqrt(ex * ex + ey * ey)) / soft;
        const pixel = row * SIDE + column;
        if (cover > ink[pixel]) ink[pixel] = Math.min(1, cover);
      }
    }
  }
}
