// Short messages at the foot of the page, with a way back where there is one.

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "plain" | "bad";
  readonly action?: { readonly label: string; readonly run: () => void };
}

let list = $state.raw<readonly Toast[]>([]);
let next = 0;

export const toasts = {
  get list() {
    return list;
  },
  dismiss(id: number) {
    list = list.filter((toast) => toast.id !== id);
  },
  /** Stays for some seconds; longer where there is something to do. */
  show(text: string, { action, tone = "plain" }: Partial<Pick<Toast, "action" | "tone">> = {}) {
    const id = next++;
    list = [...list.slice(-2), { id, text, tone, action }];
    setTimeout(() => this.dismiss(id), action ? 15_000 : 5000);
  },
};

export const failed = (reason: unknown): void =>
  toasts.show(reason instanceof Error ? reason.message : String(reason), { tone: "bad" });
