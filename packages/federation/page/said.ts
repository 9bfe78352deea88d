// What the page and its worker say to each other.
export type Asked =
  | { readonly kind: "open"; readonly code: string }
  | { readonly kind: "table"; readonly name: string; readonly text: string };

export type Said =
  /** A table with these columns is needed. */
  | {
      readonly kind: "invited";
      readonly site: string;
      readonly federation: string;
      readonly features: readonly string[];
      readonly label: string;
      readonly classes: readonly string[];
      readonly requirement: string;
    }
  | {
      readonly kind: "table";
      readonly name: string;
      readonly rows: number;
      readonly counts: readonly number[];
    }
  | { readonly kind: "phase"; readonly phase: string }
  | {
      readonly kind: "counted";
      readonly times: number;
      readonly of: number;
      readonly price: number;
      readonly relaxation: number;
      readonly loss: number | undefined;
      /** Of its records, where they are private. */
      readonly spent:
        | { readonly epsilon: number; readonly budget: number; readonly delta: number }
        | undefined;
    }
  | { readonly kind: "note"; readonly text: string }
  | { readonly kind: "done"; readonly price: number; readonly relaxation: number; readonly model: string }
  /** Choosing another table may help, or nothing does. */
  | { readonly kind: "failed"; readonly why: string; readonly final: boolean };
